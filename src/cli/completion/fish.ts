import type { Value } from "../command/values.ts";
import type { Names } from "./tables.ts";
import type { Place, PlaceOption } from "./tree.ts";

/** Completion for fish, a line for each thing that can be typed. */
export function fishScript(places: readonly Place[], names: Names): string {
  const lines = places.flatMap(({ path, below, options, words }) => [
    ...below.map(
      ({ name, about }) => `complete -c biplane -f -n ${at(path, "exactly")} -a ${quoted(name)} -d ${quoted(about)}`,
    ),
    ...options.map((option) => optionLine(path, option, names)),
    ...words.slice(0, 1).map((value) => `complete -c biplane -n ${at(path, "within")} ${answer(value, names)}`),
  ]);
  return `# Completion for biplane: biplane completion fish > ~/.config/fish/completions/biplane.fish
${helpers}${lines.join("\n")}
`;
}

/** Whether the words so far name a place: exactly that one, or words of its own follow. */
const helpers = `function __biplane_words
    set -l typed (commandline -opc)
    set -e typed[1]
    test (count $typed) -gt 0; and string match -v -- '-*' $typed
end
function __biplane_exactly
    set -l typed (__biplane_words)
    test "$typed" = "$argv"
end
function __biplane_within
    set -l typed (__biplane_words)
    set -l head $typed[1..(count $argv)]
    test "$head" = "$argv"
end
`;

function at(path: string, how: "exactly" | "within"): string {
  return quoted(path === "" ? "__biplane_exactly" : `__biplane_${how} ${path}`);
}

function optionLine(path: string, { spellings, about, value }: PlaceOption, names: Names): string {
  const spelled = spellings.map((each) => (each.startsWith("--") ? `-l ${each.slice(2)}` : `-s ${each.slice(1)}`));
  return `complete -c biplane -n ${at(path, "within")} ${spelled.join(" ")} -d ${quoted(about)} ${value ? `-r ${answer(value, names)}` : "-f"}`;
}

function answer(value: Value, names: Names): string {
  switch (value.kind) {
    case "choice":
      return `-f -a ${quoted(value.of.join(" "))}`;
    case "environments":
      return `-F -a ${quoted(names.environments.join(" "))}`;
    case "packs":
      return `-f -a ${quoted(names.packs.join(" "))}`;
    case "runs":
      return "-f -a '(biplane completion --words runs 2>/dev/null)'";
    case "recordings":
      return "-F -a '(biplane completion --words runs 2>/dev/null)'";
    case "folder":
      return "-f -a '(__fish_complete_directories)'";
    case "file":
      return "-F";
    case "number":
    case "text":
      return "-f";
  }
}

/** In fish, a backslash and a quote inside single quotes are written with a backslash. */
function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
}
