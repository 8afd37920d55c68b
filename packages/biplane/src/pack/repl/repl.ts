import type { CodeContext, CodeEngine, CodeLimits, CodeResult } from "../../code/engine.ts";
import { BiplaneError } from "@biplane/core";
import type { CallerResource } from "../shared/caller/per-caller.ts";

interface ReplOptions {
  /** The state to start from, if any. */
  readonly saved: unknown;
  readonly limits: Partial<CodeLimits>;
  /** Who is charged for the session. */
  readonly caller: string | undefined;
}

/** One caller's session in one language. */
export class ReplSession implements CallerResource {
  readonly #context: CodeContext;
  /** Absent if the engine cannot save state. */
  readonly save?: () => Promise<unknown>;

  private constructor(context: CodeContext) {
    this.#context = context;
    if (context.snapshot) {
      this.save = async () => Buffer.from((await context.snapshot?.()) ?? []).toString("base64");
    }
  }

  static async open(engine: CodeEngine, options: ReplOptions): Promise<ReplSession> {
    const { saved, limits, caller } = options;
    const from = typeof saved === "string" ? { from: Buffer.from(saved, "base64") } : {};
    return new ReplSession(await engine.open({ tools: [], limits, caller, ...from }));
  }

  async run(code: string, options: { signal: AbortSignal; wallMs: number }): Promise<CodeResult> {
    const { signal, wallMs } = options;
    signal.throwIfAborted();
    const ending = new AbortController();
    const cancel = () => ending.abort(signal.reason);
    const onTimeout = () => ending.abort(new BiplaneError("TIMEOUT", `The code timed out after ${wallMs} ms.`));
    const timer = setTimeout(onTimeout, wallMs);
    signal.addEventListener("abort", cancel, { once: true });
    try {
      return await this.#context.run(code, { call: noTools, signal: ending.signal });
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", cancel);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#context.close();
  }
}

function noTools(tool: string): never {
  throw new BiplaneError("TOOL_NOT_FOUND", `There is no tool ${tool}. The REPL has no tools.`);
}
