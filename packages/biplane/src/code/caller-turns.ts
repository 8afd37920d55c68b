import { availableParallelism } from "node:os";

/**
 * Turns to compute, of which there are as many as workers. Callers that wait take turns one after the other, however
 * many actions each of them has waiting. The last free turn is for a caller that has none, so that one caller can never
 * occupy all workers.
 */
export class CallerTurns {
  /** How many turns there are. A lower number takes none away. */
  size: number;
  /** The actions that wait, by caller. The caller that comes next is first. */
  readonly #waiting = new Map<string, WaitingAction[]>();
  readonly #running = new Map<string, number>();
  #used = 0;

  constructor(size: number = defaultWorkers) {
    this.size = size;
  }

  /** True while actions wait for a turn. */
  get hasQueue(): boolean {
    return this.#waiting.size > 0;
  }

  /** Waits for a turn. Rejects with the reason of the signal. A caller of undefined is this process itself. */
  take(caller: string | undefined, signal?: AbortSignal): Promise<CallerTurn> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const key = caller ?? ownProcess;
      const action: WaitingAction = {
        begin: (turn) => {
          signal?.removeEventListener("abort", onAbort);
          resolve(turn);
        },
      };
      const onAbort = (): void => {
        this.#leaveQueue(key, action);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      const queue = this.#waiting.get(key) ?? [];
      queue.push(action);
      this.#waiting.set(key, queue);
      this.#next();
    });
  }

  #next(): void {
    for (const [caller, queue] of this.#waiting) {
      if (this.#used >= this.size) return;
      if (!this.#mayBegin(caller)) continue;
      const first = queue.shift() as WaitingAction;
      this.#waiting.delete(caller);
      if (queue.length > 0) this.#waiting.set(caller, queue); // at the end of the line
      this.#used++;
      this.#running.set(caller, (this.#running.get(caller) ?? 0) + 1);
      first.begin(new CallerTurn(() => this.#end(caller)));
    }
  }

  #mayBegin(caller: string): boolean {
    return caller === ownProcess || !this.#running.has(caller) || this.#used < this.size - 1;
  }

  #end(caller: string): void {
    this.#used--;
    const left = (this.#running.get(caller) ?? 1) - 1;
    if (left > 0) this.#running.set(caller, left);
    else this.#running.delete(caller);
    this.#next();
  }

  #leaveQueue(caller: string, action: WaitingAction): void {
    const rest = (this.#waiting.get(caller) ?? []).filter((each) => each !== action);
    if (rest.length > 0) this.#waiting.set(caller, rest);
    else this.#waiting.delete(caller);
  }
}

/** The right to use a worker, until it is released. */
export class CallerTurn {
  #onRelease: (() => void) | undefined;

  constructor(onRelease: () => void) {
    this.#onRelease = onRelease;
  }

  release(): void {
    this.#onRelease?.();
    this.#onRelease = undefined;
  }
}

/** One more than processors: the one that is reserved costs no throughput while one caller computes. */
export const defaultWorkers = Math.max(2, availableParallelism()) + 1;

interface WaitingAction {
  readonly begin: (turn: CallerTurn) => void;
}

/** The key of this process itself. The keys of callers contain a space. */
const ownProcess = "";
