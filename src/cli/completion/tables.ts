import type { Value } from "../command/values.ts";
import type { Place } from "./tree.ts";

export interface Names {
  readonly environments: readonly string[];
  readonly packs: readonly string[];
}

/** What there is at each place, as functions that bash and zsh both read. */
export function tables(places: readonly Place[], names: Names): string {
  const below = places.map(({ path, below: each }) => [path, each.map(({ name }) => name).join(" ")] as const);
  const options = places.map(
    ({ path, options: each }) => [path, each.flatMap(({ spellings }) => spellings).join(" ")] as const,
  );
  const values = places.flatMap(({ path, options: each }) =>
    each.flatMap(({ spellings, value }) =>
      value ? spellings.map((spelling) => [`${path} ${spelling}`, kindWords(value, names)] as const) : [],
    ),
  );
  const words = places.flatMap(({ path, words: each }) =>
    each.map((value, at) => [`${path} ${at}`, kindWords(value, names)] as const),
  );
  return [
    table("_biplane_below", below),
    table("_biplane_options", options),
    table("_biplane_value", values),
    table("_biplane_word", words),
  ].join("\n");
}

/** The kind of a value, and the words it may be. */
function kindWords(value: Value, names: Names): string {
  switch (value.kind) {
    case "choice":
      return `words ${value.of.join(" ")}`;
    case "environments":
      return `list ${names.environments.join(" ")}`;
    case "packs":
      return `list ${names.packs.join(" ")}`;
    case "number":
      return "text";
    case "recordings":
      return "runs-or-files";
    case "file":
    case "folder":
    case "runs":
    case "text":
      return value.kind;
  }
}

function table(name: string, rows: readonly (readonly [place: string, answer: string])[]): string {
  const cases = rows
    .filter(([, answer]) => answer !== "")
    .map(([place, answer]) => `    ${quoted(place)}) echo ${quoted(answer)} ;;`);
  return `${name}() {\n  case "$1" in\n${cases.join("\n")}\n  esac\n}`;
}

/** For any shell of the Bourne family. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
