import { aliasesOf, offeredName } from "../command/check-words.ts";
import { allCommands } from "../command/find-command.ts";
import type { Found } from "../command/find-command.ts";
import { valueOf } from "../command/values.ts";
import type { Value } from "../command/values.ts";

/** A command as a shell completes it. */
export interface Place {
  /** `approvals list`; empty for `biplane` itself. */
  readonly path: string;
  readonly below: readonly { readonly name: string; readonly about: string }[];
  readonly options: readonly PlaceOption[];
  /** What its words are, one after the other. */
  readonly words: readonly Value[];
}

export interface PlaceOption {
  /** With their dashes: `--number`, `-n`. */
  readonly spellings: readonly string[];
  readonly about: string;
  /** Left out where it takes none. */
  readonly value: Value | undefined;
}

/** Everything that can be typed after `biplane`. */
export async function placesOf(): Promise<Place[]> {
  const all = await allCommands();
  return all.map((found) => ({
    path: found.path.join(" "),
    below: all.flatMap(({ path, about }) =>
      path.length === found.path.length + 1 && found.path.every((word, at) => path[at] === word)
        ? [{ name: path.at(-1) ?? "", about }]
        : [],
    ),
    options: optionsOf(found),
    words: found.path.join(" ") === "help" ? [commandOf(all)] : wordsOf(found),
  }));
}

/** What `help` helps with. */
function commandOf(all: readonly Found[]): Value {
  return { kind: "choice", of: all.flatMap(({ path: [name, ...more] }) => (name && more.length === 0 ? [name] : [])) };
}

function wordsOf({ path, options }: Found): Value[] {
  return Object.entries(options).flatMap(([name, { type }]) => (type === "positional" ? [valueOf(path, name)] : []));
}

function optionsOf({ path, options, below }: Found): PlaceOption[] {
  const own = Object.entries(options).flatMap(([name, option]): PlaceOption[] => {
    if (option.type === "positional") return [];
    const spellings = [offeredName(name, option), ...aliasesOf(option)].map(
      (each) => `${each.length === 1 && each !== name ? "-" : "--"}${each}`,
    );
    const value = option.type === "boolean" ? undefined : valueOf(path, name);
    return [{ spellings, about: option.description ?? "", value }];
  });
  const help = { spellings: ["--help"], about: "How it is used, with examples", value: undefined };
  return Object.keys(below).length > 0 && path.length > 0 ? [help] : [...own, help];
}
