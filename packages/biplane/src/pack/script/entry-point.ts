import { BiplaneError } from "@biplane/core";
import type { EvaluateOptions } from "@biplane/starlark";
import { Source, parse } from "@biplane/starlark/syntax";
import type { Script } from "./script.ts";

/** The function to call after the file has run. */
export interface EntryPoint {
  /** (default: `main`, if it exists) */
  readonly function?: string | undefined;
  readonly args?: readonly unknown[] | undefined;
  readonly named?: Readonly<Record<string, unknown>> | undefined;
}

export type ScriptCall = NonNullable<EvaluateOptions["call"]>;

/** The call that a run makes: the wanted function, or `main` if the script has one. */
export function callOf({ function: wanted, args = [], named = {} }: EntryPoint): ScriptCall {
  // Names that start with an underscore are private.
  if (wanted?.startsWith("_"))
    throw new BiplaneError("INVALID_INPUT", `function "${wanted}" is private to the script.`);
  return { name: wanted ?? "main", isOptional: wanted === undefined, args, named };
}

/** The test functions of a script, for the terminal. Empty if the script does not parse: running it reports that. */
export function testsIn({ file, source }: Script): string[] {
  try {
    return parse(new Source(file, source))
      .map((statement) => (statement.kind === "def" ? statement.identifier.name : ""))
      .filter((name) => name.startsWith("test_"));
  } catch {
    return [];
  }
}
