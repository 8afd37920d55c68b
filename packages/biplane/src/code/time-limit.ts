export interface TimeLimitOptions {
  readonly ms: number;
  /** Milliseconds that the other thread has used. */
  readonly used: () => number;
  readonly onExceeded: () => void;
}

/** Calls `onExceeded` once another thread has used more time than the limit. */
export class TimeLimit {
  readonly #used: () => number;
  readonly #onExceeded: () => void;
  #until: number;
  #isPaused = false;
  #timer: NodeJS.Timeout | undefined;

  constructor({ ms, used, onExceeded }: TimeLimitOptions) {
    this.#used = used;
    this.#until = used() + ms;
    this.#onExceeded = onExceeded;
    this.#wait(ms);
  }

  /** Begins anew with what is left of the limit. The timer runs on, because a new one for each call would cost more. */
  resume(ms: number): void {
    this.#until = this.#used() + ms;
    this.#isPaused = false;
    if (!this.#timer) this.#wait(ms);
  }

  /** The other thread waits. */
  pause(): void {
    this.#isPaused = true;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** The other thread needs at least this long. */
  #wait(ms: number): void {
    const waitMs = Math.min(Math.max(1, ms), 2 ** 31 - 1);
    const dueAt = performance.now() + waitMs;
    const timer = setTimeout(() => {
      // If this thread was busy, a message of the other may be pending. Handle it before giving up.
      setImmediate(() => {
        if (this.#timer !== timer) return;
        if (this.#isPaused) return this.stop();
        const lateMs = performance.now() - dueAt;
        if (lateMs > stoppedMs) this.#until += lateMs;
        const left = this.#until - this.#used();
        if (left > 0) this.#wait(left);
        else this.#onExceeded();
      });
    }, waitMs);
    this.#timer = timer;
  }
}

/** If a timer is later than this, the whole process was stopped, as a virtual machine is when it moves. */
const stoppedMs = 1000;
