import { chargedTo, createRedactor, messageOf } from "@biplane/core/internal";
import { BiplaneError } from "@biplane/core";
import type { Call, ErrorCode } from "@biplane/core";
import { StarlarkError, createPool } from "@biplane/starlark";
import type { StarlarkPool } from "@biplane/starlark";
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

type RunSetting = "timeoutMs" | "maxSteps" | "maxMemoryMb" | "maxOutputBytes" | "maxResultBytes" | "workers";

export interface ScriptRunnerOptions extends Pick<ScriptSettings, RunSetting | "secrets" | "now"> {
  /** Network guard for `http`. Without one, every request fails. */
  readonly guard?: NetworkGuard;
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
      return await this.#run(script, call, signal);
    } finally {
      turn.release();
    }
  }

  async #run(script: Script, call: ScriptCall, signal: AbortSignal | undefined): Promise<ScriptResult> {
    const { timeoutMs, maxSteps, maxMemoryMb, maxOutputBytes, maxResultBytes, workers } = this.#options;
    const { guard, secrets = () => undefined, now = Date.now } = this.#options;
    const pool = (this.#pool ??= createPool({ size: workers, heapMb: maxMemoryMb * 4 + 64 }));
    const startedAt = performance.now();
    /** Aborts host functions that still run when the run has ended. */
    const ended = new AbortController();
    const used = new Map<string, string>();
    let printed = "";
    /** Redacts the secrets this run has read, even if the server does not know their values. */
    const redactor = () => createRedactor(Array.from(used, ([name, value]) => ({ name, value })));
    const output = () => redactor().text(printed.replace(/\n$/, ""));
    try {
      const { json, isCut } = await pool.evaluate(script.source, {
        file: script.file,
        functions: {
          http: httpModule({ guard, signal: ended.signal }),
          time: timeModule({ now, signal: ended.signal }),
          secrets: secretsModule({
            declared: script.header.secrets,
            secrets,
            onUse: (name, value) => void used.set(name, value),
          }),
        },
        library: scriptLibrary,
        print: (text) => void (printed += text),
        limits: { timeMs: timeoutMs, steps: maxSteps, memoryBytes: maxMemoryMb * 2 ** 20, outputBytes: maxOutputBytes },
        bounds: { resultBytes: maxResultBytes, printBytes: maxOutputBytes },
        dialect: scriptDialect,
        fileResult: "exports",
        call,
        ...(signal && { signal }),
      });
      if (isCut) throw new Error(`the value is larger than ${maxResultBytes} bytes as JSON`);
      const durationMs = Math.round((performance.now() - startedAt) * 10) / 10;
      return { value: redactor().value(JSON.parse(json) as unknown), output: output(), durationMs };
    } catch (error) {
      if (signal?.aborted && signal.reason instanceof BiplaneError) throw signal.reason;
      const { code, message } = explain(error, call.name);
      if (code === "INVALID_INPUT") throw new BiplaneError(code, message);
      const before = output().slice(-maxPrintedLength);
      throw new BiplaneError(code, redactor().text(before === "" ? message : `${message}\nPrinted before:\n${before}`));
    } finally {
      ended.abort();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool?.close();
  }
}

function explain(error: unknown, called: string): { code: ErrorCode; message: string } {
  if (!(error instanceof StarlarkError)) return { code: "EXECUTION_ERROR", message: messageOf(error) };
  if (error.code === "call") return { code: "INVALID_INPUT", message: error.reason };
  const isLate = error.code === "limit" && /more than \d+ ms/.test(error.reason);
  const where = error.frames.some(({ name }) => name === called) ? `${called}() error: ` : "";
  const message = `${where}${error.message}${shownFrames(error)}`;
  return { code: isLate ? "TIMEOUT" : "EXECUTION_ERROR", message };
}

function shownFrames(error: StarlarkError): string {
  const excerpt = error.excerpt === undefined ? "" : `\n${error.excerpt}`;
  return error.frames.length > 1 ? `\n${error.report}` : excerpt;
}

const maxPrintedLength = 2000;
