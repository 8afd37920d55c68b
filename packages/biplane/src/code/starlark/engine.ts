import { createPool } from "@biplane/starlark";
import type { StarlarkPool } from "@biplane/starlark";
import type { Tool } from "@biplane/core";
import type { Shares } from "@biplane/core/internal";
import { codeBytes, codeTurns } from "../code-shares.ts";
import type { CodeContext, CodeEngine, CodeLimits, ContextOptions } from "../engine.ts";
import { defaultCodeLimits } from "../limits.ts";
import { CallerTurns } from "../caller-turns.ts";
import { StarlarkContext } from "./context.ts";
import { starlarkSignature } from "./signature.ts";

export interface StarlarkEngineOptions {
  /** How many actions can compute at once (default: one more than processors, shared by all engines of the process). */
  readonly workers?: number;
  readonly limits?: Partial<CodeLimits>;
  /** Counts the bytes that contexts keep between actions (default: one count for all engines of the process). */
  readonly keptBytes?: Shares;
}

/**
 * Runs Starlark in worker threads. Programs are deterministic. A context keeps data between actions, but not functions.
 */
export function starlarkEngine(options: StarlarkEngineOptions = {}): CodeEngine {
  return new StarlarkEngine(options);
}

class StarlarkEngine implements CodeEngine {
  readonly language = "starlark";
  readonly #options: StarlarkEngineOptions;
  readonly #turns: CallerTurns;
  #pool: StarlarkPool | undefined;

  constructor(options: StarlarkEngineOptions) {
    this.#options = options;
    this.#turns = options.workers === undefined ? codeTurns : new CallerTurns(options.workers);
  }

  async open({ tools, limits, from, caller }: ContextOptions): Promise<CodeContext> {
    const { limits: own, keptBytes = codeBytes } = this.#options;
    const { size } = this.#turns;
    const pool = (this.#pool ??= createPool({ size: size + maxAway, idle: size, heapMb }));
    const codeLimits = { ...defaultCodeLimits, ...own, ...limits };
    return new StarlarkContext({ pool, turns: this.#turns, tools, limits: codeLimits, from, caller, keptBytes });
  }

  signature(tool: Tool): string {
    return starlarkSignature(tool);
  }

  async close(): Promise<void> {
    await this.#pool?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** Workers beyond those that compute, for actions that wait for a tool or a person. */
const maxAway = 16;
const heapMb = 384;
