import { prepareInterpreter, type PreparedInterpreter } from "./prepare.ts";
import { PythonWorker } from "./python-worker.ts";

export interface InterpreterPoolOptions {
  /** How many idle interpreters to keep for the next contexts. */
  readonly warm: number;
  readonly scratchBytes: number;
}

/** Workers with a started, unused interpreter. */
export class InterpreterPool {
  readonly #options: InterpreterPoolOptions;
  /** Idle or starting workers, by memory limit. */
  readonly #idle = new Map<number, Promise<PythonWorker>[]>();
  readonly #all = new Set<PythonWorker>();
  #isClosed = false;

  constructor(options: InterpreterPoolOptions) {
    this.#options = options;
  }

  /** Reserves an interpreter for one context, and starts another one for the next. */
  async acquire(memoryBytes: number): Promise<{ worker: PythonWorker; prepared: PreparedInterpreter }> {
    const prepared = await prepareInterpreter(memoryBytes);
    let worker: PythonWorker | undefined;
    // Skip workers that died while idle.
    while (!worker?.isAlive) worker = await (this.#idleFor(memoryBytes).shift() ?? this.#start(prepared));
    this.#fill(memoryBytes, prepared);
    return { worker, prepared };
  }

  /** Returns a worker. Its thread gets a new interpreter. */
  async release(
    worker: PythonWorker,
    { memoryBytes, prepared }: { memoryBytes: number; prepared: PreparedInterpreter },
  ): Promise<void> {
    const idle = this.#idleFor(memoryBytes);
    if (this.#isClosed || !worker.isAlive || idle.length >= this.#options.warm) return this.discard(worker);
    idle.push(this.#startIn(worker, prepared));
  }

  /** Terminates a worker. */
  discard(worker: PythonWorker): Promise<void> {
    this.#all.delete(worker);
    return worker.close();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#idle.clear();
    await Promise.all([...this.#all].map((worker) => worker.close()));
    this.#all.clear();
  }

  #fill(memoryBytes: number, prepared: PreparedInterpreter): void {
    const idle = this.#idleFor(memoryBytes);
    while (!this.#isClosed && idle.length < this.#options.warm) idle.push(this.#start(prepared));
  }

  #idleFor(memoryBytes: number): Promise<PythonWorker>[] {
    const idle = this.#idle.get(memoryBytes) ?? [];
    this.#idle.set(memoryBytes, idle);
    return idle;
  }

  #start(prepared: PreparedInterpreter): Promise<PythonWorker> {
    const worker = new PythonWorker();
    this.#all.add(worker);
    return this.#startIn(worker, prepared);
  }

  #startIn(worker: PythonWorker, { image }: PreparedInterpreter): Promise<PythonWorker> {
    const { scratchBytes } = this.#options;
    const starting = worker.ask({ kind: "start", image, scratchBytes }, "started").then(() => worker);
    // `acquire` reports the failure. This only prevents an unhandled rejection.
    starting.catch(() => this.#all.delete(worker));
    return starting;
  }
}
