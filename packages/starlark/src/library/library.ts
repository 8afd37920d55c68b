import { Builtin } from "../values/callable.ts";
import type { Value } from "../values/value.ts";
import { format } from "./format.ts";
import { jsonModule } from "./json.ts";
import { mathModule } from "./math.ts";

/** Modules and functions beyond the language. A program has those that its host names. */
export type LibraryName = "json" | "math" | "format";

export function libraryOf(names: readonly LibraryName[]): [LibraryName, Value][] {
  return names.map((name) => [name, library[name]]);
}

const library: Readonly<Record<LibraryName, Value>> = {
  json: jsonModule,
  math: mathModule,
  format: new Builtin("format", format),
};
