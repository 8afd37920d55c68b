import { nearest } from "@biplane/core/internal";
import type { BiplaneError } from "@biplane/core";
import { usageError } from "./exit-code.ts";
import { commands } from "./commands.ts";
import type { Command, CommandArg } from "./define.ts";

/** A command, and the arguments that follow its name on the command line. */
export interface ResolvedCommand {
  /** `["approvals", "list"]` for `biplane approvals list`; empty for `biplane` itself. */
  readonly path: readonly string[];
  readonly description: string;
  readonly options: Readonly<Record<string, CommandArg>>;
  /** Empty for a command that can run. */
  readonly subCommands: Readonly<Record<string, () => Promise<Command>>>;
  readonly command: Command;
  readonly args: readonly string[];
}

/** Finds the command that the arguments after `biplane` name. */
export async function resolveCommand(args: readonly string[]): Promise<ResolvedCommand> {
  let found = program(args);
  for (;;) {
    const [name] = found.args;
    if (name === undefined || name.startsWith("-") || Object.keys(found.subCommands).length === 0) return found;
    const load = Object.hasOwn(found.subCommands, name) ? found.subCommands[name] : undefined;
    if (!load) throw unknownCommand(found, name);
    found = await resolved(await load(), { path: [...found.path, name], args: found.args.slice(1) });
  }
}

/** Every command, parents before their subcommands, for help and completion. */
export async function allCommands(from: ResolvedCommand = program([])): Promise<ResolvedCommand[]> {
  const children = await Promise.all(
    Object.entries(from.subCommands).map(async ([name, load]) =>
      allCommands(await resolved(await load(), { path: [...from.path, name], args: [] })),
    ),
  );
  return [from, ...children.flat()];
}

function program(args: readonly string[]): ResolvedCommand {
  return {
    path: [],
    description: "Serve your TypeScript tools over every protocol that agents and trainers use.",
    options: {},
    subCommands: Object.assign({}, ...Object.values(commands)) as ResolvedCommand["subCommands"],
    command: {},
    args,
  };
}

async function resolved(
  command: Command,
  { path, args }: Pick<ResolvedCommand, "path" | "args">,
): Promise<ResolvedCommand> {
  const [meta, options, subCommands] = await Promise.all([
    awaited(command.meta),
    awaited(command.args),
    awaited(command.subCommands),
  ]);
  const loaders = Object.entries(subCommands ?? {}).map(([name, each]) => [name, async () => awaited(each)] as const);
  return {
    path,
    description: meta?.description ?? "",
    options: (options ?? {}) as ResolvedCommand["options"],
    subCommands: Object.fromEntries(loaders),
    command,
    args,
  };
}

type Resolvable<T> = T | Promise<T> | (() => T | Promise<T>);

async function awaited<T>(given: Resolvable<T>): Promise<T> {
  return typeof given === "function" ? (given as () => T | Promise<T>)() : given;
}

function unknownCommand({ path, subCommands }: ResolvedCommand, name: string): BiplaneError {
  const parent = ["biplane", ...path].join(" ");
  const near = nearest(name, Object.keys(subCommands));
  const hint =
    near === undefined
      ? `Run ${["biplane", "help", ...path].join(" ")} for a list.`
      : `Did you mean ${parent} ${near}?`;
  return usageError(`Unknown command ${JSON.stringify(name)}. ${hint}`);
}
