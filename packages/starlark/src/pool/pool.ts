import { StarlarkError } from "../errors.ts";
import type { ProgramOptions } from "../host/run.ts";
import type { Limits } from "../runtime/limits.ts";
import { decodeUtf8, encodeUtf8 } from "../utf8.ts";
import { defaultBounds, type EvaluatedCall, type EvaluateOptions, type Evaluation } from "./evaluation.ts";
import { evaluationHost, type JobHost } from "./evaluation-host.ts";
import { HostSide, type PoolLoad } from "./host-side.ts";
import type { EvaluateJob, Job, RunJob } from "./messages.ts";
import { WorkerHandle, type JobEvents, type JobResults } from "./worker-handle.ts";

export interface PoolOptions {
  /** Number of programs that can run at once, each in its own thread (default: 2). */
  readonly size?: number;
  /** Number of idle threads to keep for the next programs (default: `size`). */
  readonly idle?: number;
  /** Default limits of a run. Unlike `run`, a pool always has a time limit (default: 30,000 ms). */
  readonly limits?: Limits;
  /** JavaScript heap size of each worker, as a second line of defense behind the memory limit. */
  readonly heapMb?: number;
}

export interface PoolRunOptions extends ProgramOptions {
  /** Values and functions of the host; functions may be asynchronous. */
  readonly globals?: Readonly<Record<string, unknown>>;
  /** Resolves `load` statements to the text of a file or an object of host values. */
  readonly load?: PoolLoad;
  readonly print?: (line: string) => void;
  /** A function to call once the file has run. */
  readonly call?: Omit<EvaluatedCall, "isOptional">;
}

export interface CheckOptions extends Pick<ProgramOptions, "file" | "dialect" | "signal"> {
  /** The names that the program can use (default: none). */
  readonly names?: readonly string[];
}

export interface PoolResult {
  readonly globals: Record<string, unknown>;
  /** What the called function returned. */
  readonly result: unknown;
  readonly steps: number;
}

/** Worker threads that run Starlark programs. They are reused between runs. */
export interface StarlarkPool extends AsyncDisposable {
  /** Resolves when every worker has started. */
  ready(): Promise<void>;
  /** Runs a program and converts its globals to host values in this thread. */
  run(source: string, options?: PoolRunOptions): Promise<PoolResult>;
  /**
   * Runs an untrusted program. Its values are parsed, computed and converted in the worker. This thread only
   * sees text within the bounds, however the program was written.
   */
  evaluate(source: string, options?: EvaluateOptions): Promise<Evaluation>;
  /** Finds the first static error of a program, without running it. Undefined if there is none. */
  check(source: string, options?: CheckOptions): Promise<StarlarkError | undefined>;
  close(): Promise<void>;
}

/** Starts a pool. Call `close` when done, or use `await using`. */
export function createPool(options: PoolOptions = {}): StarlarkPool {
  return new Pool(options);
}

const defaultTimeMs = 30_000;

/** Time for a worker to stop by itself, with a call stack, before it is terminated. Its thread has a low priority. */
const graceMs = 250;

class Pool implements StarlarkPool {
  readonly #size: number;
  readonly #maxIdle: number;
  readonly #limits: Limits & { timeMs: number };
  readonly #heapMb: number;
  readonly #idle: WorkerHandle[] = [];
  readonly #busy = new Set<WorkerHandle>();
  readonly #waiting: { resume: (worker: WorkerHandle) => void; refuse: (reason: unknown) => void }[] = [];
  readonly #closing = new AbortController();

  constructor({ size = 2, idle = size, limits = {}, heapMb = 1024 }: PoolOptions) {
    this.#size = size;
    this.#maxIdle = idle;
    this.#limits = { timeMs: defaultTimeMs, ...limits };
    this.#heapMb = heapMb;
    for (let count = 0; count < idle; count++) this.#idle.push(new WorkerHandle(heapMb));
  }

  async ready(): Promise<void> {
    await Promise.all(Array.from({ length: this.#size }, () => this.run("")));
  }

  async run(source: string, options: PoolRunOptions = {}): Promise<PoolResult> {
    const { file = "main.star", globals = {}, library = [], dialect, load, call } = options;
    const host = new HostSide(load);
    const job: RunJob = {
      kind: "run",
      source,
      file,
      dialect,
      limits: { ...this.#limits, ...options.limits },
      library,
      globals: host.encodeNames(globals),
      canLoad: load !== undefined,
      call: call && {
        name: encodeUtf8(call.name),
        positional: (call.args ?? []).map((value) => host.encode(value)),
        named: Object.entries(call.named ?? {}).map(([name, value]) => [encodeUtf8(name), host.encode(value)] as const),
      },
    };
    const { globals: found, result, steps } = await this.#perform(job, { ...options, host });
    const named = found.map(([name, wire]) => [decodeUtf8(name), host.decode(wire)] as const);
    return { globals: Object.fromEntries(named), result: host.decode(result), steps };
  }

  async evaluate(source: string, options: EvaluateOptions = {}): Promise<Evaluation> {
    const { file = "main.star", library = [], dialect, state: kept, call, fileResult = "value" } = options;
    const host = evaluationHost(options.functions ?? {});
    const job: EvaluateJob = {
      kind: "evaluate",
      source,
      file,
      dialect,
      limits: { ...this.#limits, ...options.limits },
      library,
      functions: host.names,
      state: kept,
      call,
      fileResult,
      bounds: { ...defaultBounds, ...options.bounds },
    };
    const { json, isCut, state, steps } = await this.#perform(job, { ...options, host });
    return { json, isCut, state, steps };
  }

  async check(source: string, options: CheckOptions = {}): Promise<StarlarkError | undefined> {
    const { file = "main.star", dialect, names = [], signal } = options;
    const job = { kind: "check", source, file, dialect, names, limits: this.#limits, library: [] } as const;
    try {
      await this.#perform(job, { host: evaluationHost({}), signal });
      return undefined;
    } catch (error) {
      if (error instanceof StarlarkError && error.code === "syntax") return error;
      throw error;
    }
  }

  async close(): Promise<void> {
    const closed = new StarlarkError("cancelled", "the pool was closed");
    this.#closing.abort(closed);
    for (const { refuse } of this.#waiting.splice(0)) refuse(closed);
    await Promise.all([...this.#idle, ...this.#busy].map((worker) => worker.close()));
    this.#idle.length = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #perform<Kind extends Job["kind"]>(
    job: Extract<Job, { kind: Kind }>,
    { host, print, computeMs, signal }: PerformOptions,
  ): Promise<JobResults[Kind]> {
    const worker = await this.#acquire(signal);
    const { timeMs = defaultTimeMs } = job.limits;
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(overdue(timeMs)), timeMs + graceMs);
    const signals = [deadline.signal, this.#closing.signal, ...(signal ? [signal] : [])];
    try {
      return await worker.run<Kind>(job, { host, print, computeMs, signal: AbortSignal.any(signals) });
    } catch (error) {
      if (error instanceof StarlarkError) throw error;
      throw new StarlarkError("cancelled", "Starlark computation cancelled", { cause: error });
    } finally {
      clearTimeout(timer);
      this.#release(worker);
    }
  }

  async #acquire(signal: AbortSignal | undefined): Promise<WorkerHandle> {
    if (this.#closing.signal.aborted) throw this.#closing.signal.reason;
    if (signal?.aborted) {
      throw new StarlarkError("cancelled", "Starlark computation cancelled", { cause: signal.reason });
    }
    if (this.#idle.length === 0 && this.#busy.size >= this.#size) return this.#wait(signal);
    const worker = this.#idle.pop() ?? new WorkerHandle(this.#heapMb);
    this.#busy.add(worker);
    return worker;
  }

  #wait(signal: AbortSignal | undefined): Promise<WorkerHandle> {
    return new Promise((resume, refuse) => {
      const waiting = { resume, refuse };
      this.#waiting.push(waiting);
      signal?.addEventListener(
        "abort",
        () => {
          const place = this.#waiting.indexOf(waiting);
          if (place < 0) return; // its worker is on the way
          this.#waiting.splice(place, 1);
          refuse(new StarlarkError("cancelled", "Starlark computation cancelled", { cause: signal.reason }));
        },
        { once: true },
      );
    });
  }

  #release(worker: WorkerHandle): void {
    this.#busy.delete(worker);
    if (this.#closing.signal.aborted) return;
    const waiting = this.#waiting.shift();
    if (!waiting && this.#idle.length >= this.#maxIdle) return void worker.close();
    // A dead worker is replaced now, so that the next program does not wait for its start.
    const next = worker.isAlive ? worker : new WorkerHandle(this.#heapMb);
    if (waiting) {
      this.#busy.add(next);
      waiting.resume(next);
    } else this.#idle.push(next);
  }
}

type PerformOptions = Partial<Omit<JobEvents, "host" | "signal">> & {
  readonly host: JobHost;
  readonly signal?: AbortSignal | undefined;
};

function overdue(timeMs: number): StarlarkError {
  return new StarlarkError("limit", `Starlark computation cancelled: more than ${timeMs} ms`);
}
