import { availableParallelism } from "node:os";
import { BiplaneError } from "../../errors.ts";
import type { CodeHost } from "../engine.ts";
import type { Finished, Place, Runner } from "./context.ts";
import type { Ground } from "./engine.ts";
import { WorkerAction } from "./worker-action.ts";
import { WorkerHandle } from "./worker-handle.ts";

/** Workers that run actions, one each at a time. An action that waits long is laid aside, so that it holds no worker. */
export class WorkerRunner implements Runner {
  readonly #most: number;
  readonly #idle: WorkerHandle[] = [];
  readonly #busy = new Set<WorkerHandle>();
  readonly #line: Waiting[] = [];
  readonly #numbers = new WeakMap<Place | Ground, number>();
  readonly #actions = new Set<WorkerAction>();
  #count = 0;
  #isClosed = false;

  constructor(most: number = Math.max(2, availableParallelism())) {
    this.#most = most;
  }

  /** Whether actions wait for a worker. */
  get isCrowded(): boolean {
    return this.#line.length > 0;
  }

  async run(place: Place, code: string, host: CodeHost): Promise<Finished> {
    const action = new WorkerAction(this, {
      action: ++this.#count,
      context: this.#numberOf(place),
      ground: this.#numberOf(place.ground),
      place,
      host,
    });
    this.#actions.add(action);
    try {
      return await action.run(code);
    } finally {
      this.#actions.delete(action);
    }
  }

  /** A worker for an action: the one that has its machine, if it is free, else the next. */
  take(context: number): Promise<WorkerHandle> {
    if (this.#isClosed) return Promise.reject(new BiplaneError("CANCELLED", "The JavaScript engine was closed"));
    const at = this.#idle.findIndex((worker) => worker.has(context));
    const [worker] = this.#idle.splice(at < 0 ? 0 : at, 1);
    if (worker) return Promise.resolve(this.#begin(worker));
    if (this.#busy.size < this.#most) return Promise.resolve(this.#begin(new WorkerHandle()));
    return new Promise((go, no) => this.#line.push({ context, go, no }));
  }

  /** Gives a worker back; a dead one makes room for another. */
  give(worker: WorkerHandle): void {
    this.#busy.delete(worker);
    worker.release();
    if (this.#isClosed) return;
    const near = this.#line.slice(0, 16).findIndex(({ context }) => worker.has(context));
    const [next] = this.#line.splice(Math.max(0, near), 1);
    const free = worker.isAlive ? worker : undefined;
    if (next) next.go(this.#begin(free ?? new WorkerHandle()));
    else if (free) this.#idle.push(free);
  }

  /** A context's machine in one worker is stale once another has worked on it. */
  settleIn(context: number, home: WorkerHandle | undefined): void {
    for (const worker of [...this.#idle, ...this.#busy]) if (worker !== home) worker.forget(context);
  }

  forget(place: Place): void {
    this.settleIn(this.#numberOf(place), undefined);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const closed = new BiplaneError("CANCELLED", "The JavaScript engine was closed");
    for (const { no } of this.#line.splice(0)) no(closed);
    for (const action of this.#actions) action.stop();
    await Promise.all([...this.#idle.splice(0), ...this.#busy].map((worker) => worker.terminate()));
  }

  #numberOf(thing: Place | Ground): number {
    const known = this.#numbers.get(thing);
    if (known !== undefined) return known;
    this.#numbers.set(thing, ++this.#count);
    return this.#count;
  }

  #begin(worker: WorkerHandle): WorkerHandle {
    this.#busy.add(worker);
    return worker;
  }
}

/** An action in line for a worker. */
interface Waiting {
  readonly context: number;
  readonly go: (worker: WorkerHandle) => void;
  readonly no: (error: Error) => void;
}
