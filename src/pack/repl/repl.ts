import type { CodeContext, CodeEngine, CodeLimits, CodeResult } from "../../code/engine.ts";
import { BiplaneError } from "../../errors.ts";
import type { Kept } from "../caller/per-caller.ts";

/** One caller's place for code of one language. */
export class Repl implements Kept {
  readonly #context: CodeContext;
  /** Left out where the engine cannot. */
  readonly save?: () => Promise<unknown>;

  private constructor(context: CodeContext) {
    this.#context = context;
    if (context.snapshot) {
      this.save = async () => Buffer.from((await context.snapshot?.()) ?? []).toString("base64");
    }
  }

  static async open(engine: CodeEngine, options: { saved: unknown; limits: Partial<CodeLimits> }): Promise<Repl> {
    const { saved, limits } = options;
    const from = typeof saved === "string" ? { from: Buffer.from(saved, "base64") } : {};
    return new Repl(await engine.open({ tools: [], limits, ...from }));
  }

  async run(code: string, options: { signal: AbortSignal; wallMs: number }): Promise<CodeResult> {
    const { signal, wallMs } = options;
    signal.throwIfAborted();
    const ending = new AbortController();
    const cancel = () => ending.abort(signal.reason);
    const late = () => ending.abort(new BiplaneError("TIMEOUT", `the code took longer than ${wallMs} ms`));
    const timer = setTimeout(late, wallMs);
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
  throw new BiplaneError("TOOL_NOT_FOUND", `there is no tool ${tool} here`);
}
