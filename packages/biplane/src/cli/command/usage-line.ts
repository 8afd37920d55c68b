import type { CommandArg } from "./define.ts";
import type { ResolvedCommand } from "./resolve-command.ts";

/** How a command is written: `biplane call <target> <tool> [key=value …] [options]`. */
export function usageLinesOf({ path, options, subCommands }: ResolvedCommand): string[] {
  const command = ["biplane", ...path].join(" ");
  if (Object.keys(subCommands).length > 0 || path.length === 0) return [`${command} <command>`];
  const positionals = Object.entries(options).filter(([, { type }]) => type === "positional");
  const rest = Object.values(options).some(({ type }) => type !== "positional") ? ["[options]"] : [];
  const line = [command, ...positionals.map(shown), ...rest].join(" ");
  if (!Object.hasOwn(options, "target")) return [line];
  const others = positionals.filter(([name]) => name !== "target").map(shown);
  return [line, [command, ...others, ...rest, "-- <command>"].join(" ")];
}

function shown([name, { valueHint = name, required }]: [string, CommandArg]): string {
  return required === false ? `[${valueHint}]` : `<${valueHint}>`;
}
