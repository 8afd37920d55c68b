import type { ArgValue } from "../command/define.ts";
import { wordsFor } from "./tables.ts";
import type { CompletionNames } from "./tables.ts";
import type { CompletionCommand, CompletionOption } from "./command-tree.ts";

/** Completion for fish: one `complete` line for each command, option and argument. */
export function fishScript(commands: readonly CompletionCommand[], names: CompletionNames): string {
  const lines = commands.flatMap(({ path, subCommands, options, positionals }) => [
    ...subCommands.map(
      ({ name, description }) =>
        `complete -c biplane -f -n ${at(path, "exactly")} -a ${quoted(name)} -d ${quoted(description)}`,
    ),
    ...options.map((option) => optionLine(option, { path, names })),
    ...positionals
      .slice(0, 1)
      .map((value) => `complete -c biplane -n ${at(path, "within")} ${completionOf(value, names)}`),
  ]);
  return `# Completion for biplane: biplane completion fish > ~/.config/fish/completions/biplane.fish
${helpers}${lines.join("\n")}
`;
}

/** `__biplane_exactly` matches a command without arguments yet, `__biplane_within` one with arguments. */
const helpers = `function __biplane_typed
    set -l typed (commandline -opc)
    set -e typed[1]
    test (count $typed) -gt 0; and string match -v -- '-*' $typed
end
function __biplane_exactly
    set -l typed (__biplane_typed)
    test "$typed" = "$argv"
end
function __biplane_within
    set -l typed (__biplane_typed)
    set -l head $typed[1..(count $argv)]
    test "$head" = "$argv"
end
`;

function at(path: string, how: "exactly" | "within"): string {
  return quoted(path === "" ? "__biplane_exactly" : `__biplane_${how} ${path}`);
}

function optionLine(
  { flags, description, value }: CompletionOption,
  { path, names }: { readonly path: string; readonly names: CompletionNames },
): string {
  const spelled = flags.map((each) => (each.startsWith("--") ? `-l ${each.slice(2)}` : `-s ${each.slice(1)}`));
  return `complete -c biplane -n ${at(path, "within")} ${spelled.join(" ")} -d ${quoted(description)} ${value ? `-r ${completionOf(value, names)}` : "-f"}`;
}

function completionOf(value: ArgValue, names: CompletionNames): string {
  const { kind } = value;
  const files = ["environments", "targets", "recordings", "file"].includes(kind) ? "-F" : "-f";
  const words = wordsFor(value, names);
  if (words) return `${files} -a ${quoted(words.join(" "))}`;
  if (kind === "runs" || kind === "recordings") return `${files} -a '(biplane completion --names runs 2>/dev/null)'`;
  return kind === "folder" ? `${files} -a '(__fish_complete_directories)'` : files;
}

/** Fish escapes backslashes and quotes inside single quotes with a backslash. */
function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
}
