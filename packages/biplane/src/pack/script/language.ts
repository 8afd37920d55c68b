import { messageOf } from "@biplane/core/internal";
import { createPool } from "@biplane/starlark";
import type { Dialect, StarlarkPool } from "@biplane/starlark";
import type { Script } from "./script.ts";

/** Language features that scripts have beyond plain Starlark. */
export const scriptDialect: Dialect = { while: true, topLevelControl: true, globalReassign: true, recursion: true };

/** The parts of Starlark's library that scripts have. */
export const scriptLibrary = ["json", "math", "format"] as const;

/** The predeclared names of every script. */
const scriptGlobals = ["http", "time", "secrets", ...scriptLibrary] as const;

/**
 * Finds syntax and name errors. An agent may have written the script, so it is parsed in a worker, which does not keep
 * the process running.
 */
export class ScriptChecker {
  /** The faults of scripts by their hash. */
  readonly #known = new Map<string, string | undefined>();
  #pool: StarlarkPool | undefined;

  /** The first error of a script, with its position. Undefined if there is none. */
  async faultOf({ file, source, sha256 }: Pick<Script, "file" | "source" | "sha256">): Promise<string | undefined> {
    if (this.#known.has(sha256)) return this.#known.get(sha256);
    const pool = (this.#pool ??= createPool({ size: 1 }));
    const checked = pool.check(source, { file, dialect: scriptDialect, names: scriptGlobals });
    const fault = await checked.then((error) => error?.message, messageOf);
    if (this.#known.size >= maxKnown) this.#known.clear();
    this.#known.set(sha256, fault);
    return fault;
  }
}

const maxKnown = 1000;
