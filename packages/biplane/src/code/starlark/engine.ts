import { createPool } from "@biplane/starlark";
import type { StarlarkPool } from "@biplane/starlark";
import { codeBytes, codeTurns } from "../code-shares.ts";
import type { CodeEngine, EngineOptions } from "../engine.ts";
import { defaultCodeLimits } from "../limits.ts";
import { CallerTurns } from "../caller-turns.ts";
import { StarlarkContext } from "./context.ts";
import { starlarkSignature } from "./signature.ts";

export type StarlarkEngineOptions = EngineOptions;

/**
 * Runs Starlark in worker threads. Programs are deterministic. A context keeps data between actions, but not functions.
 */
export function starlarkEngine(options: StarlarkEngineOptions = {}): CodeEngine {
  const { workers, keptBytes = codeBytes } = options;
  const turns = workers === undefined ? codeTurns : new CallerTurns(workers);
  let pool: StarlarkPool | undefined;
  const close = async (): Promise<void> => pool?.close();
  return {
    language: "starlark",
    open: async ({ tools, limits: given, from, caller }) => {
      const { size } = turns;
      pool ??= createPool({ size: size + maxAway, idle: size, heapMb });
      const limits = { ...defaultCodeLimits, ...options.limits, ...given };
      return new StarlarkContext({ pool, turns, tools, limits, from, caller, keptBytes });
    },
    signature: starlarkSignature,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Workers beyond those that compute, for actions that wait for a tool or a person. */
const maxAway = 16;
const heapMb = 384;
