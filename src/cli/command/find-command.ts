import type { ArgsDef } from "citty";
import { nearest } from "../../call/rules/near-miss.ts";
import { BiplaneError } from "../../errors.ts";
import { commands } from "./commands.ts";
import type { Command } from "./commands.ts";

/** A command that words name, and the words that are for it. */
export interface Found {
  /** Its name as it is typed after `biplane`: `["approvals", "list"]`; empty for the program itself. */
  readonly path: readonly string[];
  readonly about: string;
  readonly options: ArgsDef;
  /** What may follow its name, where it is only a heading for others. */
  readonly below: Readonly<Record<string, () => Promise<Command>>>;
  readonly command: Command;
  readonly words: readonly string[];
}

/** Goes down from `biplane` as far as the words lead. */
export async function findCommand(words: readonly string[]): Promise<Found> {
  let found = program(words);
  for (;;) {
    const [word] = found.words;
    if (word === undefined || word.startsWith("-") || Object.keys(found.below).length === 0) return found;
    const load = Object.hasOwn(found.below, word) ? found.below[word] : undefined;
    if (!load) throw unknownCommand(found, word);
    found = await opened(await load(), [...found.path, word], found.words.slice(1));
  }
}

/** All of them, headings included, for help and completion. */
export async function allCommands(from: Found = program([])): Promise<Found[]> {
  const below = await Promise.all(
    Object.entries(from.below).map(async ([name, load]) =>
      allCommands(await opened(await load(), [...from.path, name], [])),
    ),
  );
  return [from, ...below.flat()];
}

function program(words: readonly string[]): Found {
  const below = Object.assign({}, ...Object.values(commands)) as Found["below"];
  return {
    path: [],
    about: "Build a tool once; serve it, train on it, judge it.",
    options: {},
    below,
    command: {},
    words,
  };
}

async function opened(command: Command, path: readonly string[], words: readonly string[]): Promise<Found> {
  const [meta, options, below] = await Promise.all([
    valueOf(command.meta),
    valueOf(command.args),
    valueOf(command.subCommands),
  ]);
  const loaders = Object.entries(below ?? {}).map(([name, each]) => [name, async () => valueOf(each)] as const);
  return {
    path,
    about: meta?.description ?? "",
    options: (options ?? {}) as ArgsDef,
    below: Object.fromEntries(loaders),
    command,
    words,
  };
}

type Later<T> = T | Promise<T> | (() => T | Promise<T>);

async function valueOf<T>(given: Later<T>): Promise<T> {
  return typeof given === "function" ? (given as () => T | Promise<T>)() : given;
}

function unknownCommand({ path, below }: Found, word: string): BiplaneError {
  const before = ["biplane", ...path].join(" ");
  const near = nearest(word, Object.keys(below));
  const hint =
    near === undefined ? `${["biplane", "help", ...path].join(" ")} lists them` : `did you mean ${before} ${near}?`;
  return new BiplaneError("INVALID_INPUT", `unknown command ${JSON.stringify(word)}; ${hint}`);
}
