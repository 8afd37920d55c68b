import { StarlarkError } from "../errors.ts";
import type { Limits } from "../runtime/limits.ts";
import type { Dialect } from "../syntax/dialect.ts";
import { decodeUtf8, encodeUtf8 } from "../utf8.ts";
import { HostSide, type PoolLoad } from "./host-side.ts";
import type { Job } from "./messages.ts";
import { WorkerHandle } from "./worker-handle.ts";

export interface PoolOptions {
  /** How many programs can run at once; each has a thread of its own. */
  readonly size?: number;
  /** The limits of every run that does not set its own. A pool has a time limit even when none is given. */
  readonly limits?: Limits;
  /** The JavaScript heap of each worker; a backstop behind the memory limit. */
  readonly heapMb?: number;
}

export interface PoolRunOptions {
  readonly file?: string;
  /** Values and functions of the host; functions may be asynchronous. */
  readonly globals?: Readonly<Record<string, unknown>>;
  /** Finds what a `load` statement names: the text of a file, or an object of host values. */
  readonly load?: PoolLoad;
  readonly print?: (line: string) => void;
  readonly limits?: Limits;
  readonly signal?: AbortSignal;
  readonly dialect?: Dialect;
  /** A function to call once the file has run. */
  readonly call?: {
    readonly name: string;
    readonly args?: readonly unknown[];
    readonly named?: Readonly<Record<string, unknown>>;
  };
}

export interface PoolResult {
  readonly globals: Record<string, unknown>;
  /** What the called function returned. */
  readonly result: unknown;
  readonly steps: number;
}

/** Worker threads that run Starlark programs, kept warm between runs. */
export interface StarlarkPool extends AsyncDisposable {
  /** Resolves once every worker is ready to run a program at once. */
  ready(): Promise<void>;
  run(source: string, options?: PoolRunOptions): Promise<PoolResult>;
  close(): Promise<void>;
}

/** Starts a pool. Close it, or hold it with `await using`. */
export function createPool(options: PoolOptions = {}): StarlarkPool {
  return new Pool(options);
}

const defaultTimeMs = 30_000;

/** A worker gets this long to stop by itself, with a call stack, before it is terminated. */
const graceMs = 50;

class Pool implements StarlarkPool {
  readonly #size: number;
  readonly #limits: Limits & { timeMs: number };
  readonly #heapMb: number;
  readonly #idle: WorkerHandle[] = [];
  readonly #busy = new Set<WorkerHandle>();
  readonly #waiting: { resume: (worker: WorkerHandle) => void; refuse: (reason: unknown) => void }[] = [];
  readonly #closing = new AbortController();

  constructor({ size = 2, limits = {}, heapMb = 1024 }: PoolOptions) {
    this.#size = size;
    this.#limits = { timeMs: defaultTimeMs, ...limits };
    this.#heapMb = heapMb;
    for (let count = 0; count < size; count++) this.#idle.push(new WorkerHandle(heapMb));
  }

  async ready(): Promise<void> {
    await Promise.all(Array.from({ length: this.#size }, () => this.run("")));
  }

  async run(source: string, options: PoolRunOptions = {}): Promise<PoolResult> {
    const host = new HostSide(options.load);
    const limits = { ...this.#limits, ...options.limits };
    const job = describeJob(source, { options, limits, host });
    const worker = await this.#acquire(options.signal);
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(overdue(limits.timeMs)), limits.timeMs + graceMs);
    const signals = [deadline.signal, this.#closing.signal, ...(options.signal ? [options.signal] : [])];
    try {
      const done = await worker.run(job, { host, print: options.print, signal: AbortSignal.any(signals) });
      const globals = done.globals.map(([name, wire]) => [decodeUtf8(name), host.decode(wire)] as const);
      return { globals: Object.fromEntries(globals), result: host.decode(done.result), steps: done.steps };
    } catch (error) {
      if (error instanceof StarlarkError) throw error;
      throw new StarlarkError("cancelled", "Starlark computation cancelled", { cause: error });
    } finally {
      clearTimeout(timer);
      this.#release(worker);
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

  async #acquire(signal: AbortSignal | undefined): Promise<WorkerHandle> {
    if (this.#closing.signal.aborted) throw this.#closing.signal.reason;
    if (signal?.aborted) {
      throw new StarlarkError("cancelled", "Starlark computation cancelled", { cause: signal.reason });
    }
    const worker = this.#idle.pop() ?? (await this.#wait(signal));
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
          if (place >= 0) this.#waiting.splice(place, 1);
          refuse(new StarlarkError("cancelled", "Starlark computation cancelled", { cause: signal.reason }));
        },
        { once: true },
      );
    });
  }

  #release(worker: WorkerHandle): void {
    this.#busy.delete(worker);
    if (this.#closing.signal.aborted) return;
    const next = worker.isAlive ? worker : new WorkerHandle(this.#heapMb);
    const waiting = this.#waiting.shift();
    if (waiting) waiting.resume(next);
    else this.#idle.push(next);
  }
}

function describeJob(
  source: string,
  { options, limits, host }: { options: PoolRunOptions; limits: Limits; host: HostSide },
): Job {
  const { file = "main.star", globals = {}, dialect, load, call } = options;
  return {
    source,
    file,
    dialect,
    limits,
    globals: host.encodeNames(globals),
    canLoad: load !== undefined,
    call: call && {
      name: encodeUtf8(call.name),
      positional: (call.args ?? []).map((value) => host.encode(value)),
      named: Object.entries(call.named ?? {}).map(([name, value]) => [encodeUtf8(name), host.encode(value)] as const),
    },
  };
}

function overdue(timeMs: number): StarlarkError {
  return new StarlarkError("limit", `Starlark computation cancelled: more than ${timeMs} ms`);
}
