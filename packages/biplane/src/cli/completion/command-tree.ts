import { aliasesOf, offeredName } from "../command/check-args.ts";
import { allCommands } from "../command/resolve-command.ts";
import type { ResolvedCommand } from "../command/resolve-command.ts";
import { valueOf } from "../command/define.ts";
import type { ArgValue } from "../command/define.ts";

/** A command as shell completion sees it. */
export interface CompletionCommand {
  /** `approvals list`; empty for `biplane` itself. */
  readonly path: string;
  readonly subCommands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly CompletionOption[];
  /** What its positional arguments take, in order. */
  readonly positionals: readonly ArgValue[];
}

export interface CompletionOption {
  /** With dashes: `--number`, `-n`. */
  readonly flags: readonly string[];
  readonly description: string;
  /** Undefined for a switch. */
  readonly value: ArgValue | undefined;
}

/** All commands with their options and arguments. */
export async function commandTree(): Promise<CompletionCommand[]> {
  const all = await allCommands();
  return all.map((found) => ({
    path: found.path.join(" "),
    subCommands: all.flatMap(({ path, description }) =>
      path.length === found.path.length + 1 && found.path.every((name, at) => path[at] === name)
        ? [{ name: path.at(-1) ?? "", description }]
        : [],
    ),
    options: optionsOf(found),
    positionals: found.path.join(" ") === "help" ? [topLevelCommands(all)] : positionalsOf(found),
  }));
}

/** The argument of `biplane help`. */
function topLevelCommands(all: readonly ResolvedCommand[]): ArgValue {
  return { kind: "choice", of: all.flatMap(({ path: [name, ...more] }) => (name && more.length === 0 ? [name] : [])) };
}

function positionalsOf({ options }: ResolvedCommand): ArgValue[] {
  return Object.values(options).flatMap((option) => (option.type === "positional" ? [valueOf(option)] : []));
}

function optionsOf({ options }: ResolvedCommand): CompletionOption[] {
  const own = Object.entries(options).flatMap(([name, option]): CompletionOption[] => {
    if (option.type === "positional") return [];
    const flags = [offeredName(name, option), ...aliasesOf(option)].map(
      (each) => `${each.length === 1 && each !== name ? "-" : "--"}${each}`,
    );
    const value = option.type === "boolean" ? undefined : valueOf(option);
    return [{ flags, description: option.description ?? "", value }];
  });
  const help = { flags: ["--help"], description: "Show usage and examples", value: undefined };
  return [...own, help];
}
