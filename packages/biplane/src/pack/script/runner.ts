import { chargedTo, createRedactor, messageOf } from "@biplane/core/internal";
import { BiplaneError } from "@biplane/core";
import type { Call } from "@biplane/core";
import { StarlarkError, createPool } from "@biplane/starlark";
import type { Evaluation, HostFunctions, StarlarkPool } from "@biplane/starlark";
import { CallerTurns } from "../../code/caller-turns.ts";
import type { NetworkGuard } from "../shared/net/network-guard.ts";
import { callOf } from "./entry-point.ts";
import type { EntryPoint, ScriptCall } from "./entry-point.ts";
import { httpModule } from "./modules/http.ts";
import { secretsModule } from "./modules/secrets.ts";
import { timeModule } from "./modules/time.ts";
import { scriptDialect, scriptLibrary } from "./language.ts";
import type { ScriptSettings } from "./options.ts";
import type { Script } from "./script.ts";

export interface ScriptRunnerOptions extends Pick<
  ScriptSettings,
  "timeoutMs" | "maxSteps" | "maxMemoryMb" | "maxOutputBytes" | "maxResultBytes" | "workers"
> {
  /** Network guard for `http`. Without one, every request fails. */
  readonly guard?: NetworkGuard;
  readonly secrets?: ((name: string) => string | undefined) | undefined;
  readonly now?: (() => number) | undefined;
}

/** The result of a script. */
export interface ScriptResult {
  readonly value: unknown;
  /** Printed output. */
  readonly output: string;
  /** Duration of the whole run in milliseconds. */
  readonly durationMs: number;
}

/** The call that runs a script. Its principal takes turns with others (default: this process itself). */
type RunnerCall = Partial<Pick<Call, "signal" | "principal">>;

/** Runs scripts in worker threads, which start at first use. */
export class ScriptRunner implements AsyncDisposable {
  readonly #options: ScriptRunnerOptions;
  readonly #turns: CallerTurns;
  #pool: StarlarkPool | undefined;

  constructor(options: ScriptRunnerOptions) {
    this.#options = options;
    this.#turns = new CallerTurns(options.workers);
  }

  async run(script: Script, entry: EntryPoint, { signal, principal }: RunnerCall = {}): Promise<ScriptResult> {
    const call = callOf(entry);
    const turn = await this.#turns.take(principal && chargedTo(principal), signal);
    try {
      return await this.#run(script, { call, signal });
    } finally {
      turn.release();
    }
  }

  async #run(script: Script, { call, signal }: { call: ScriptCall; signal: AbortSignal | undefined }) {
    const { timeoutMs, maxSteps, maxMemoryMb, maxOutputBytes, maxResultBytes, workers } = this.#options;
    const pool = (this.#pool ??= createPool({ size: workers, heapMb: maxMemoryMb * 4 + 64 }));
    const run = new ScriptRun(script, { ...this.#options, signal });
    try {
      const evaluation = await pool.evaluate(script.source, {
        file: script.file,
        functions: run.functions,
        library: scriptLibrary,
        print: (text) => run.print(text),
        limits: { timeMs: timeoutMs, steps: maxSteps, memoryBytes: maxMemoryMb * 2 ** 20, outputBytes: maxOutputBytes },
        bounds: { resultBytes: maxResultBytes, printBytes: maxOutputBytes },
        dialect: scriptDialect,
        fileResult: "exports",
        call,
        ...(signal && { signal }),
      });
      return run.succeed(evaluation);
    } catch (error) {
      throw run.fail(error, call.name);
    } finally {
      run.end();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool?.close();
  }
}

/** One run of a script: its functions, its output and the secrets it has read. */
class ScriptRun {
  readonly functions: HostFunctions;
  readonly #options: ScriptRunnerOptions & { signal?: AbortSignal | undefined };
  readonly #used = new Map<string, string>();
  #printed = "";
  readonly #startedAt = performance.now();
  /** Aborts host functions that still run when the run has ended. */
  readonly #ended = new AbortController();

  constructor(script: Script, options: ScriptRunnerOptions & { signal?: AbortSignal | undefined }) {
    this.#options = options;
    const { guard, secrets = () => undefined, now = Date.now } = options;
    const signal = this.#ended.signal;
    this.functions = {
      http: httpModule({ guard, signal }),
      time: timeModule({ now, signal }),
      secrets: secretsModule({
        declared: script.header.secrets,
        secrets,
        onUse: (name, value) => void this.#used.set(name, value),
      }),
    };
  }

  print(text: string): void {
    this.#printed += text;
  }

  succeed({ json, isCut }: Evaluation): ScriptResult {
    if (isCut) throw new Error(`the value is larger than ${this.#options.maxResultBytes} bytes as JSON`);
    const redactor = this.#redactor();
    return {
      value: redactor.value(JSON.parse(json) as unknown),
      output: redactor.text(this.#printed.replace(/\n$/, "")),
      durationMs: this.#durationMs,
    };
  }

  fail(error: unknown, called: string): BiplaneError {
    const { signal } = this.#options;
    if (signal?.aborted && signal.reason instanceof BiplaneError) return signal.reason;
    if (error instanceof StarlarkError && error.code === "call") return new BiplaneError("INVALID_INPUT", error.reason);
    const isLate = error instanceof StarlarkError && error.code === "limit" && /more than \d+ ms/.test(error.reason);
    const isInside = error instanceof StarlarkError && error.frames.some(({ name }) => name === called);
    const where = isInside ? `${called}() error: ` : "";
    const why = error instanceof StarlarkError ? `${error.message}${shownFrames(error)}` : messageOf(error);
    const redactor = this.#redactor();
    const printed = redactor.text(this.#printed.replace(/\n$/, "")).slice(-maxPrintedLength);
    const message = `${where}${why}${printed === "" ? "" : `\nPrinted before:\n${printed}`}`;
    return new BiplaneError(isLate ? "TIMEOUT" : "EXECUTION_ERROR", redactor.text(message));
  }

  end(): void {
    this.#ended.abort();
  }

  get #durationMs(): number {
    return Math.round((performance.now() - this.#startedAt) * 10) / 10;
  }

  /** Redacts the secrets this run has read, even if the server does not know their values. */
  #redactor() {
    return createRedactor(Array.from(this.#used, ([name, value]) => ({ name, value })));
  }
}

function shownFrames(error: StarlarkError): string {
  const excerpt = error.excerpt === undefined ? "" : `\n${error.excerpt}`;
  return error.frames.length > 1 ? `\n${error.report}` : excerpt;
}

const maxPrintedLength = 2000;
