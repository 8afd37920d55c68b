import type { ArgValue } from "../command/define.ts";
import { shellQuote } from "../terminal/shell-quote.ts";
import type { CompletionCommand } from "./command-tree.ts";

export interface CompletionNames {
  readonly environments: readonly string[];
  readonly packs: readonly string[];
}

/** Shell functions, valid in bash and zsh, that map a command to its subcommands, options and values. */
export function tables(commands: readonly CompletionCommand[], names: CompletionNames): string {
  const subCommands = commands.map(
    ({ path, subCommands: each }) => [path, each.map(({ name }) => name).join(" ")] as const,
  );
  const options = commands.map(
    ({ path, options: each }) => [path, each.flatMap(({ flags }) => flags).join(" ")] as const,
  );
  const values = commands.flatMap(({ path, options: each }) =>
    each.flatMap(({ flags, value }) =>
      value ? flags.map((flag) => [`${path} ${flag}`, completionOf(value, names)] as const) : [],
    ),
  );
  const positionals = commands.flatMap(({ path, positionals: each }) =>
    each.map((value, at) => [`${path} ${at}`, completionOf(value, names)] as const),
  );
  return [
    table("_biplane_subcommands", subCommands),
    table("_biplane_options", options),
    table("_biplane_value", values),
    table("_biplane_argument", positionals),
  ].join("\n");
}

/** How a value is completed (`words`, `list`, `file` …), followed by the candidates. */
function completionOf(value: ArgValue, names: CompletionNames): string {
  const words = wordsFor(value, names);
  if (words) return `${value.kind === "choice" ? "words" : "list"} ${words.join(" ")}`;
  if (value.kind === "recordings") return "runs-or-files";
  return value.kind === "number" ? "text" : value.kind;
}

/** The candidates that are known beforehand. */
export function wordsFor(value: ArgValue, { environments, packs }: CompletionNames): readonly string[] | undefined {
  if (value.kind === "choice") return value.of;
  if (value.kind === "targets") return [...environments, ...packs];
  return value.kind === "environments" ? environments : value.kind === "packs" ? packs : undefined;
}

function table(name: string, rows: readonly (readonly [key: string, value: string])[]): string {
  const cases = rows
    .filter(([, value]) => value !== "")
    .map(([key, value]) => `    ${shellQuote(key)}) echo ${shellQuote(value)} ;;`);
  return `${name}() {\n  case "$1" in\n${cases.join("\n")}\n  esac\n}`;
}
