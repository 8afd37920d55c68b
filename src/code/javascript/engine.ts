import { BiplaneError } from "../../errors.ts";
import type { Tool } from "../../tool/tool.ts";
import type { CodeContext, CodeEngine, CodeLimits, ContextOptions } from "../engine.ts";
import { defaultCodeLimits } from "../limits.ts";
import { JavascriptContext } from "./context.ts";
import type { Runner } from "./context.ts";
import type { Base } from "./base.ts";
import { javascriptSignature } from "./signature.ts";
import { describeTools } from "./toolset.ts";
import type { Toolset } from "./toolset.ts";
import { wasmModule } from "./wasm-module.ts";

export interface JavascriptOptions {
  /**
   * Where code runs. In workers, by default, whatever it does ends without harm. In this thread calls are cheapest, but
   * a long built-in may hold everything up: only for code that is trusted, such as in training.
   */
  readonly isolation?: "worker" | "thread";
  /** How many workers there may be: as many as there are processors, at least two. */
  readonly workers?: number;
  /** Limits of contexts that do not set their own. */
  readonly limits?: Partial<CodeLimits>;
  /** How much all contexts together may keep between actions: 1 GB. */
  readonly keptBytes?: number;
}

/** JavaScript, and TypeScript without its types, in QuickJS machines that share nothing with this process. */
export function javascriptEngine(options: JavascriptOptions = {}): CodeEngine {
  return new JavascriptEngine(options);
}

/** What contexts with the same tools begin from. */
export interface Ground {
  readonly toolset: Toolset;
  readonly base: Base;
}

class JavascriptEngine implements CodeEngine {
  readonly language = "javascript";
  readonly #limits: CodeLimits;
  readonly #runner: () => Promise<Runner>;
  readonly #grounds = new WeakMap<readonly Tool[], Map<number, Promise<Ground>>>();
  readonly #contexts = new Set<JavascriptContext>();
  readonly #account: { readonly most: number; bytes: number };
  #running: Promise<Runner> | undefined;
  #isClosed = false;

  constructor({ isolation = "worker", workers, limits, keptBytes = 1024 ** 3 }: JavascriptOptions) {
    this.#limits = { ...defaultCodeLimits, ...limits };
    this.#runner = () => (this.#running ??= startRunner(isolation, workers));
    this.#account = { most: keptBytes, bytes: 0 };
  }

  async open({ tools, limits, from }: ContextOptions): Promise<CodeContext> {
    if (this.#isClosed) throw new BiplaneError("NOT_SUPPORTED", "The JavaScript engine is closed");
    const own = checkLimits({ ...this.#limits, ...limits });
    const ground = await this.#ground(tools, own.memoryBytes);
    const context = new JavascriptContext({
      runner: await this.#runner(),
      ground,
      limits: own,
      account: this.#account,
      from,
      onClosed: () => this.#contexts.delete(context),
    });
    this.#contexts.add(context);
    return context;
  }

  signature(tool: Tool): string {
    return javascriptSignature(tool);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#contexts].map((context) => context.close()));
    await (await this.#running)?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #ground(tools: readonly Tool[], memoryBytes: number): Promise<Ground> {
    let grounds = this.#grounds.get(tools);
    if (!grounds) this.#grounds.set(tools, (grounds = new Map()));
    let ground = grounds.get(memoryBytes);
    if (!ground) grounds.set(memoryBytes, (ground = makeGround(tools, memoryBytes)));
    return ground;
  }
}

/** QuickJS is loaded when code is first to run. */
async function startRunner(isolation: "worker" | "thread", workers: number | undefined): Promise<Runner> {
  if (isolation === "worker") return new (await import("./pool.ts")).WorkerRunner(workers);
  return new (await import("./thread-runner.ts")).ThreadRunner();
}

async function makeGround(tools: readonly Tool[], memoryBytes: number): Promise<Ground> {
  const { createBase } = await import("./base.ts");
  const toolset = describeTools(tools);
  return { toolset, base: await createBase(await wasmModule(memoryBytes), toolset) };
}

function checkLimits(limits: CodeLimits): CodeLimits {
  for (const [name, value] of Object.entries(limits) as [keyof CodeLimits, number][]) {
    const [least, most] = ranges[name] ?? [0, Number.MAX_SAFE_INTEGER];
    if (value >= least && value <= most) continue;
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `The limit ${name} must be between ${least} and ${most}, not ${value}`,
    );
  }
  return limits;
}

/** What QuickJS needs for itself, and what it can be told. */
const ranges: { readonly [Name in keyof CodeLimits]?: readonly [number, number] } = {
  memoryBytes: [1024 ** 2, 2 * 1024 ** 3],
  stackBytes: [16 * 1024, 512 * 1024],
  cpuMs: [1, 2 ** 31 - 1],
};
