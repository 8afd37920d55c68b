import { universe } from "../../starlark/builtins/universe.ts";
import { StarlarkError } from "../../starlark/errors.ts";
import { resolve } from "../../starlark/resolve/resolver.ts";
import { completeDialect } from "../../starlark/syntax/dialect.ts";
import type { Dialect } from "../../starlark/syntax/dialect.ts";
import { parse } from "../../starlark/syntax/parser.ts";
import { Source } from "../../starlark/syntax/source.ts";
import type { Script } from "./script.ts";

/** What scripts may write that plain Starlark may not. */
export const scriptDialect: Dialect = { while: true, topLevelControl: true, globalReassign: true, recursion: true };

/** The names that every script finds there. */
const scriptGlobals = ["http", "json", "time", "math", "format", "secrets"] as const;
export type ScriptGlobal = (typeof scriptGlobals)[number];

/** Why a script could never run, with the place; undefined where only running it would tell. */
export function faultOf({ file, source: text }: Pick<Script, "file" | "source">): string | undefined {
  try {
    const source = new Source(file, text);
    resolve(parse(source), {
      source,
      dialect: completeDialect(scriptDialect),
      isPredeclared: (name) => (scriptGlobals as readonly string[]).includes(name),
      isUniversal: (name) => universe.has(name),
    });
    return undefined;
  } catch (error) {
    if (error instanceof StarlarkError) return error.message;
    throw error;
  }
}
