import { prepare, type Prepared } from "./prepare.ts";
import { WorkerHandle } from "./worker-handle.ts";

export interface PoolOptions {
  /** How many interpreters stand ready for the next contexts. */
  readonly warm: number;
  readonly scratchBytes: number;
}

/** Workers with an interpreter that has started and has not been used. */
export class Pool {
  readonly #options: PoolOptions;
  /** Those that stand ready or are being made ready, by the memory they may have. */
  readonly #ready = new Map<number, Promise<WorkerHandle>[]>();
  readonly #all = new Set<WorkerHandle>();
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** An interpreter for one context, and another one begun for the next. */
  async take(memoryBytes: number): Promise<{ worker: WorkerHandle; prepared: Prepared }> {
    const prepared = await prepare(memoryBytes);
    let worker: WorkerHandle | undefined;
    // One that died while it waited is of no use.
    while (!worker?.isAlive) worker = await (this.#shelf(memoryBytes).shift() ?? this.#start(prepared));
    this.#fill(memoryBytes, prepared);
    return { worker, prepared };
  }

  /** Gives a worker back: the interpreter in it is dropped, the thread gets a new one. */
  async release(
    worker: WorkerHandle,
    { memoryBytes, prepared }: { memoryBytes: number; prepared: Prepared },
  ): Promise<void> {
    const shelf = this.#shelf(memoryBytes);
    if (this.#isClosed || !worker.isAlive || shelf.length >= this.#options.warm) return this.discard(worker);
    shelf.push(this.#startIn(worker, prepared));
  }

  /** Ends a worker that is of no more use. */
  discard(worker: WorkerHandle): Promise<void> {
    this.#all.delete(worker);
    return worker.close();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#ready.clear();
    await Promise.all([...this.#all].map((worker) => worker.close()));
    this.#all.clear();
  }

  #fill(memoryBytes: number, prepared: Prepared): void {
    const shelf = this.#shelf(memoryBytes);
    while (!this.#isClosed && shelf.length < this.#options.warm) shelf.push(this.#start(prepared));
  }

  #shelf(memoryBytes: number): Promise<WorkerHandle>[] {
    const shelf = this.#ready.get(memoryBytes) ?? [];
    this.#ready.set(memoryBytes, shelf);
    return shelf;
  }

  #start(prepared: Prepared): Promise<WorkerHandle> {
    const worker = new WorkerHandle();
    this.#all.add(worker);
    return this.#startIn(worker, prepared);
  }

  #startIn(worker: WorkerHandle, { image }: Prepared): Promise<WorkerHandle> {
    const { scratchBytes } = this.#options;
    const starting = worker.ask({ kind: "start", image, scratchBytes }, "started").then(() => worker);
    // Whoever takes it hears of a failure; until then it is nobody's.
    starting.catch(() => this.#all.delete(worker));
    return starting;
  }
}
