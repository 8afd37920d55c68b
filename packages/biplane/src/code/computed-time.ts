import { ownTime } from "./thread-time.ts";

/**
 * How long code in this thread has computed. On a busy machine, more time passes. To ask the system how long the thread
 * ran takes as long as a call, so it is asked only about code that computes for longer: until then, the time that
 * passes counts.
 */
export class ComputedTime {
  /** When the code began, plus the time that it spent in the host. */
  #since = 0;
  /** What the thread had computed before. Undefined while the system was not asked. */
  #base: number | undefined;

  start(): void {
    this.#since = performance.now();
    this.#base = undefined;
  }

  /** All the time that passed. */
  get passedMs(): number {
    return performance.now() - this.#since;
  }

  get ms(): number {
    return this.#base === undefined ? this.passedMs : ownTime().computed() - this.#base;
  }

  /** Call this now and then while the code computes. */
  check(): void {
    if (this.#base !== undefined) return;
    const passed = this.passedMs;
    if (passed > shortMs) this.#base = ownTime().computed() - passed;
  }

  /** Does not count the time that the work takes. */
  without<T>(work: () => T): T {
    const [before, used] = [performance.now(), this.#base === undefined ? 0 : ownTime().computed()];
    try {
      return work();
    } finally {
      this.#since += performance.now() - before;
      if (this.#base !== undefined) this.#base += ownTime().computed() - used;
    }
  }
}

const shortMs = 1;
