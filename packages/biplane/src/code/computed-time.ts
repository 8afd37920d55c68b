import { ownTime } from "./thread-time.ts";

/**
 * How long code in this thread has computed. More time passes on a busy machine, or if the process is paused. To ask the
 * system how long the thread ran takes as long as a call, so it is asked only about code that takes longer.
 */
export class ComputedTime {
  /** When the code began, plus the time that it spent in the host. */
  #since = 0;
  /** What the thread had computed some milliseconds before the code began, plus what it computed in the host. */
  #base = 0;

  start(): void {
    this.#since = performance.now();
    this.#base = ownTime().lately();
  }

  /** All the time that passed. */
  get passedMs(): number {
    return performance.now() - this.#since;
  }

  get ms(): number {
    const passed = this.passedMs;
    return passed <= shortMs ? passed : Math.min(passed, ownTime().computed() - this.#base);
  }

  /** Does not count the time that the work takes. */
  without<T>(work: () => T): T {
    const before = performance.now();
    const used = before - this.#since <= shortMs ? undefined : ownTime().computed();
    try {
      return work();
    } finally {
      this.#since += performance.now() - before;
      if (used !== undefined) this.#base += ownTime().computed() - used;
    }
  }
}

const shortMs = 1;
