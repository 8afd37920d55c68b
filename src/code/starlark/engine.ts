import { availableParallelism } from "node:os";
import { createPool } from "../../starlark/index.ts";
import type { StarlarkPool } from "../../starlark/index.ts";
import type { Tool } from "../../tool/tool.ts";
import type { CodeContext, CodeEngine, CodeLimits, ContextOptions } from "../engine.ts";
import { defaultCodeLimits } from "../limits.ts";
import { StarlarkContext } from "./context.ts";
import { starlarkSignature } from "./signature.ts";

export interface StarlarkEngineOptions {
  /** How many actions can run at once; one that waits for a call counts. At least four. */
  readonly workers?: number;
  readonly limits?: Partial<CodeLimits>;
}

/**
 * Starlark in worker threads: the same program does the same thing every time. Between actions it keeps data, but no
 * functions.
 */
export function starlarkEngine(options: StarlarkEngineOptions = {}): CodeEngine {
  return new StarlarkEngine(options);
}

class StarlarkEngine implements CodeEngine {
  readonly language = "starlark";
  readonly #options: StarlarkEngineOptions;
  #pool: StarlarkPool | undefined;

  constructor(options: StarlarkEngineOptions) {
    this.#options = options;
  }

  async open({ tools, limits, from }: ContextOptions): Promise<CodeContext> {
    const { workers = Math.max(4, availableParallelism()), limits: own } = this.#options;
    const pool = (this.#pool ??= createPool({ size: workers }));
    return new StarlarkContext({ pool, tools, limits: { ...defaultCodeLimits, ...own, ...limits }, from });
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
