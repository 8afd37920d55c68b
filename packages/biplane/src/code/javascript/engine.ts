import { BiplaneError } from "@biplane/core";
import type { Tool } from "@biplane/core";
import type { CodeEngine, CodeLimits, EngineOptions } from "../engine.ts";
import { codeBytes } from "../code-shares.ts";
import { defaultCodeLimits } from "../limits.ts";
import { JavascriptContext } from "./context.ts";
import type { ActionRunner } from "./context.ts";
import type { Base } from "./base.ts";
import { javascriptSignature } from "./signature.ts";
import { describeToolset, ToolGuide } from "./toolset.ts";
import type { Toolset } from "./toolset.ts";
import { wasmModule } from "./wasm-module.ts";

export interface JavascriptOptions extends EngineOptions {
  /**
   * Where code runs (default: `worker`). In this thread, tool calls are cheapest, but code can block the process. Use
   * `thread` only for trusted code, such as in training.
   */
  readonly isolation?: "worker" | "thread";
}

/** The tools of a context, and the machine that contexts with these tools start from. */
export interface ToolBindings {
  readonly toolset: Toolset;
  readonly guide: ToolGuide;
  readonly base: Base;
}

/** Runs JavaScript, and TypeScript with its types removed, in QuickJS compiled to WebAssembly. */
export function javascriptEngine(options: JavascriptOptions = {}): CodeEngine {
  const { isolation = "worker", workers, keptBytes = codeBytes } = options;
  const contexts = new Set<JavascriptContext>();
  const known = new WeakMap<readonly Tool[], Map<number, Promise<ToolBindings>>>();
  let running: Promise<ActionRunner> | undefined;
  let isClosed = false;

  const bindingsFor = (tools: readonly Tool[], memoryBytes: number): Promise<ToolBindings> => {
    let bySize = known.get(tools);
    if (!bySize) known.set(tools, (bySize = new Map()));
    let bindings = bySize.get(memoryBytes);
    if (!bindings) bySize.set(memoryBytes, (bindings = createBindings(tools, memoryBytes)));
    return bindings;
  };

  const close = async (): Promise<void> => {
    isClosed = true;
    await Promise.all([...contexts].map((context) => context.close()));
    await (await running)?.close();
  };

  return {
    language: "javascript",
    open: async ({ tools, limits: given, from, caller }) => {
      if (isClosed) throw new BiplaneError("NOT_SUPPORTED", "The JavaScript engine is closed.");
      const limits = checkLimits({ ...defaultCodeLimits, ...options.limits, ...given });
      const bindings = await bindingsFor(tools, limits.memoryBytes);
      const runner = await (running ??= startRunner(isolation, workers));
      const onClosed = (): void => void contexts.delete(context);
      const context = new JavascriptContext({ runner, bindings, limits, caller, keptBytes, from, onClosed });
      contexts.add(context);
      return context;
    },
    signature: javascriptSignature,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Loads QuickJS at first use. */
async function startRunner(isolation: "worker" | "thread", workers: number | undefined): Promise<ActionRunner> {
  if (isolation === "worker") return new (await import("./worker-runner.ts")).WorkerRunner(workers);
  return new (await import("./thread-runner.ts")).ThreadRunner();
}

async function createBindings(tools: readonly Tool[], memoryBytes: number): Promise<ToolBindings> {
  const { createBase } = await import("./base.ts");
  const toolset = describeToolset(tools);
  return { toolset, guide: new ToolGuide(toolset), base: await createBase(await wasmModule(memoryBytes), toolset) };
}

function checkLimits(limits: CodeLimits): CodeLimits {
  for (const [name, value] of Object.entries(limits) as [keyof CodeLimits, number][]) {
    const [min, max] = ranges[name] ?? [0, Number.MAX_SAFE_INTEGER];
    if (value >= min && value <= max) continue;
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `The limit ${name} must be between ${min} and ${max}, but is ${value}.`,
    );
  }
  return limits;
}

/** The limits that QuickJS accepts. */
const ranges: { readonly [Name in keyof CodeLimits]?: readonly [number, number] } = {
  memoryBytes: [1024 ** 2, 2 * 1024 ** 3],
  stackBytes: [16 * 1024, 512 * 1024],
  cpuMs: [1, 2 ** 31 - 1],
};
