import { BiplaneError, messageOf } from "../../errors.ts";
import { StarlarkError } from "../../starlark/index.ts";
import type { PoolResult, StarlarkPool } from "../../starlark/index.ts";
import { toolIndex } from "../../tool/search.ts";
import type { Tool } from "../../tool/tool.ts";
import type { CodeContext, CodeError, CodeHost, CodeLimits, CodeResult } from "../engine.ts";
import { Output } from "../output.ts";
import { aliasOf, parametersOf } from "../parameters.ts";
import { positionalInput } from "../positional.ts";
import { plainValue } from "./plain-value.ts";
import { actionFile, functionName, resultName, rewrite } from "./rewrite.ts";
import type { Rewritten } from "./rewrite.ts";

interface StarlarkContextOptions {
  readonly pool: StarlarkPool;
  readonly tools: readonly Tool[];
  readonly limits: CodeLimits;
  readonly from: Uint8Array | undefined;
}

/** The data that Starlark code has defined so far, and the way to run more of it. */
export class StarlarkContext implements CodeContext {
  readonly #options: StarlarkContextOptions;
  readonly #closing = new AbortController();
  #kept: Map<string, unknown>;
  #line: Promise<unknown> = Promise.resolve();

  constructor(options: StarlarkContextOptions) {
    this.#options = options;
    this.#kept = new Map(options.from ? Object.entries(readKept(options.from)) : []);
  }

  run(code: string, host: CodeHost): Promise<CodeResult> {
    const running = this.#line.then(() => this.#run(code, host));
    this.#line = running.catch(() => undefined);
    return running;
  }

  async snapshot(): Promise<Uint8Array> {
    await this.#line;
    try {
      return Buffer.from(JSON.stringify(plainValue(this.#kept)));
    } catch (cause) {
      throw new BiplaneError("NOT_SUPPORTED", "What the code has defined is too much for a snapshot", { cause });
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new BiplaneError("CANCELLED", "The context was closed"));
    await this.#line;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #run(code: string, host: CodeHost): Promise<CodeResult> {
    const { pool, limits } = this.#options;
    const output = new Output(limits.outputBytes);
    const signal = AbortSignal.any([host.signal, this.#closing.signal]);
    const finish = (value: unknown, error: CodeError | undefined, isCut = false): CodeResult => {
      return { value, stdout: output.stdout, stderr: "", truncated: output.isCut || isCut, error };
    };
    let program: Rewritten | undefined;
    try {
      if (Buffer.byteLength(code) > limits.sourceBytes)
        throw passed(`The code is longer than ${limits.sourceBytes} bytes`);
      program = rewrite(code);
      const ran = await pool.run(program.source, {
        file: actionFile,
        globals: { ...Object.fromEntries(this.#kept), ...this.#functions(host) },
        print: (line) => output.write("out", `${line}\n`),
        limits: {
          timeMs: longestMs, // whoever runs the action watches the clock
          steps: limits.cpuMs * stepsPerMs,
          memoryBytes: limits.memoryBytes,
          outputBytes: limits.outputBytes * 64, // what is beyond the limit is cut; far beyond it, printing ends the action
        },
        signal,
        dialect: { while: true, topLevelControl: true, globalReassign: true, recursion: true },
        ...(program.isFunction && { call: { name: functionName } }),
      });
      this.#keep(ran);
      const value = plainValue(program.isFunction ? ran.result : ran.globals[resultName]);
      const text = JSON.stringify(value) ?? "";
      if (text.length <= limits.valueBytes) return finish(value ?? undefined, undefined);
      return finish(`${text.slice(0, limits.valueBytes)}… [the result was cut]`, undefined, true);
    } catch (error) {
      return finish(undefined, describe(error, program, signal));
    }
  }

  /** Functions live only as long as their program. */
  #keep({ globals }: PoolResult): void {
    for (const [name, value] of Object.entries(globals)) {
      if (name !== resultName && typeof value !== "function") this.#kept.set(name, value);
    }
  }

  #functions(host: CodeHost): Record<string, unknown> {
    const { tools, limits } = this.#options;
    let calls = 0;
    const count = (): void => {
      if (++calls > limits.calls) throw passed(`The code made more than ${limits.calls} calls`);
    };
    const callTool = async (tool: Tool, args: readonly unknown[]): Promise<unknown> => {
      count();
      return host.call(tool.name, plainValue(positionalInput(tool.name, parametersOf(tool), args)));
    };
    const find = (name: unknown): Tool => {
      const found = tools.find((tool) => tool.name === name || aliasOf(tool.name) === name);
      if (found) return found;
      throw new BiplaneError("TOOL_NOT_FOUND", `Unknown tool: ${String(name)}`);
    };
    const index = toolIndex(tools);
    return {
      list_tools: () => tools.map(({ name }) => name),
      search_tools: (query: unknown) => {
        count(); // it is the host that searches
        return index.search(String(query)).map(({ name, description }) => ({ name, description: description ?? null }));
      },
      get_tool_schema: (name: unknown) => {
        count();
        const { name: own, description, input } = find(name);
        return { name: own, description: description ?? null, input_schema: structuredClone(input.json) };
      },
      try_tool: async (name: unknown, ...args: unknown[]) => {
        try {
          return { ok: true, value: await callTool(find(name), args) };
        } catch (error) {
          if (!(error instanceof BiplaneError)) throw error;
          return { ok: false, code: error.code, message: error.message };
        }
      },
      ...Object.fromEntries(
        tools.map((tool) => [aliasOf(tool.name), (...args: unknown[]) => callTool(tool, args)] as const),
      ),
    };
  }
}

/** What the interpreter does in a millisecond on a slow machine; steps are the same on all. */
const stepsPerMs = 20_000;
const longestMs = 2 ** 31 - 1000;

function passed(message: string): StarlarkError {
  return new StarlarkError("limit", message);
}

function describe(error: unknown, program: Rewritten | undefined, signal: AbortSignal): CodeError {
  if (signal.aborted) {
    const isLate = signal.reason instanceof BiplaneError && signal.reason.code === "TIMEOUT";
    const kind = isLate ? "limit" : "cancelled";
    return { kind, name: kind, message: messageOf(signal.reason), code: undefined, trace: undefined };
  }
  if (!(error instanceof StarlarkError)) throw error;
  const { cause, code } = error;
  const kind = code === "syntax" || code === "limit" ? code : "thrown";
  const place = (text: string) => (program?.isFunction ? text.replaceAll(inFunction, onePlaceBack) : text);
  return {
    kind,
    name: "StarlarkError",
    message: cause instanceof BiplaneError ? cause.message : place(error.message),
    code: cause instanceof BiplaneError ? cause.code : undefined,
    trace: error.frames.length > 0 ? place(error.traceback) : undefined,
  };
}

const inFunction = /action\.star:(\d+):(\d+)/g;

function onePlaceBack(_: string, line: string, column: string): string {
  return `${actionFile}:${Number(line) - 1}:${Number(column) - 1}`;
}

function readKept(from: Uint8Array): Record<string, unknown> {
  try {
    const kept: unknown = JSON.parse(Buffer.from(from).toString());
    if (typeof kept === "object" && kept !== null && !Array.isArray(kept)) return kept as Record<string, unknown>;
  } catch {
    // told below, with the other ways of being wrong
  }
  throw new BiplaneError("INVALID_INPUT", "This is no snapshot of a Starlark context");
}
