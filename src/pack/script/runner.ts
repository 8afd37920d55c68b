import { createRedactor } from "../../call/redact/redactor.ts";
import { BiplaneError, messageOf } from "../../errors.ts";
import { createPool, StarlarkError } from "../../starlark/index.ts";
import type { PoolResult, StarlarkPool } from "../../starlark/index.ts";
import type { Guard } from "../net/guard.ts";
import { functionToCall } from "./entry.ts";
import type { Entry } from "./entry.ts";
import { format } from "./modules/format.ts";
import { httpModule } from "./modules/http.ts";
import { jsonModule } from "./modules/json.ts";
import { mathModule } from "./modules/math.ts";
import { secretsModule } from "./modules/secrets.ts";
import { timeModule } from "./modules/time.ts";
import { writeJson } from "./modules/write-json.ts";
import { scriptDialect } from "./language.ts";
import type { ScriptGlobal } from "./language.ts";
import type { ScriptSettings } from "./options.ts";
import type { Script } from "./script.ts";

export interface RunnerOptions extends Pick<
  ScriptSettings,
  "timeoutMs" | "maxSteps" | "maxMemoryMb" | "maxOutputBytes" | "maxResultBytes" | "workers"
> {
  /** What `http` goes through. Left out: nothing is fetched. */
  readonly guard?: Guard;
  readonly secrets?: ((name: string) => string | undefined) | undefined;
  readonly now?: (() => number) | undefined;
}

/** What a script came to. */
export interface ScriptResult {
  readonly value: unknown;
  /** What it printed. */
  readonly output: string;
  /** Of the whole run, the function that was called included. */
  readonly durationMs: number;
}

/** Runs scripts in worker threads, which start with the first one. */
export class Runner implements AsyncDisposable {
  readonly #options: RunnerOptions;
  #pool: StarlarkPool | undefined;

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  async run(script: Script, entry: Entry, signal?: AbortSignal): Promise<ScriptResult> {
    const called = functionToCall(script, entry);
    const { timeoutMs, maxSteps, maxMemoryMb, maxOutputBytes, workers } = this.#options;
    const pool = (this.#pool ??= createPool({ size: workers }));
    const attempt = new Attempt(script, { ...this.#options, signal });
    try {
      const ran = await pool.run(script.source, {
        file: script.file,
        globals: attempt.globals,
        print: (line) => attempt.print(line),
        limits: { timeMs: timeoutMs, steps: maxSteps, memoryBytes: maxMemoryMb * 2 ** 20, outputBytes: maxOutputBytes },
        dialect: scriptDialect,
        ...(signal && { signal }),
        ...(called !== undefined && {
          call: { name: called, args: entry.args ?? [], named: entry.named ?? {} },
        }),
      });
      return attempt.succeed(called === undefined ? resultOf(ran) : ran.result);
    } catch (error) {
      throw attempt.fail(error, called);
    } finally {
      attempt.end();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool?.close();
  }
}

/** One run of a script: what it was given, has printed and must not let out. */
class Attempt {
  readonly globals: Readonly<Record<ScriptGlobal, unknown>>;
  readonly #options: RunnerOptions & { signal?: AbortSignal | undefined };
  readonly #used = new Map<string, string>();
  readonly #lines: string[] = [];
  readonly #startedAt = performance.now();
  /** Ends whatever a host function of a run that is over still does. */
  readonly #over = new AbortController();

  constructor(script: Script, options: RunnerOptions & { signal?: AbortSignal | undefined }) {
    this.#options = options;
    const { guard, secrets = () => undefined, now = Date.now } = options;
    const signal = this.#over.signal;
    this.globals = {
      http: httpModule({ guard, signal }),
      json: jsonModule(),
      time: timeModule({ now, signal }),
      math: mathModule(),
      format,
      secrets: secretsModule({
        declared: script.header.secrets,
        secrets,
        onUse: (name, value) => void this.#used.set(name, value),
      }),
    };
  }

  print(line: string): void {
    this.#lines.push(line);
  }

  succeed(value: unknown): ScriptResult {
    const { maxResultBytes } = this.#options;
    const json = writeJson(value, { maxLength: maxResultBytes, isForShow: true });
    const redactor = this.#redactor();
    return {
      value: redactor.value(JSON.parse(json) as unknown),
      output: redactor.text(this.#lines.join("\n")),
      durationMs: this.#durationMs,
    };
  }

  fail(error: unknown, called: string | undefined): BiplaneError {
    const { signal } = this.#options;
    if (signal?.aborted && signal.reason instanceof BiplaneError) return signal.reason;
    const isLate = error instanceof StarlarkError && error.code === "limit" && /more than \d+ ms$/.test(error.reason);
    const where = called === undefined ? "" : `${called}() error: `;
    const why = error instanceof StarlarkError ? `${error.message}${shownFrames(error)}` : messageOf(error);
    const printed = this.#lines.join("\n").slice(-mostPrinted);
    const message = `${where}${why}${printed === "" ? "" : `\nPrinted before:\n${printed}`}`;
    return new BiplaneError(isLate ? "TIMEOUT" : "EXECUTION_ERROR", this.#redactor().text(message));
  }

  end(): void {
    this.#over.abort();
  }

  get #durationMs(): number {
    return Math.round((performance.now() - this.#startedAt) * 10) / 10;
  }

  /** Also where the server does not know the values: no print, result or error of this run shows them. */
  #redactor() {
    return createRedactor(Array.from(this.#used, ([name, value]) => ({ name, value })));
  }
}

/** What people expect of a file without `main`: its `result`, else the globals that are written as constants. */
function resultOf({ globals }: PoolResult): unknown {
  if (Object.hasOwn(globals, "result")) return globals["result"];
  const constants = Object.entries(globals).filter(([name]) => /^[A-Z]/.test(name));
  return constants.length === 0 ? null : Object.fromEntries(constants);
}

function shownFrames(error: StarlarkError): string {
  const excerpt = error.excerpt === undefined ? "" : `\n${error.excerpt}`;
  return error.frames.length > 1 ? `\n${error.report}` : excerpt;
}

const mostPrinted = 2000;
