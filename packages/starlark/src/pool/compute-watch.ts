/** Calls `onSlow` when a worker has computed for too long. Paused while it waits for the host. */
export class ComputeWatch {
  readonly #onSlow: () => void;
  #leftMs: number;
  #since = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(computeMs: number, onSlow: () => void) {
    this.#leftMs = computeMs;
    this.#onSlow = onSlow;
  }

  run(): void {
    if (this.#leftMs === Infinity) return;
    this.#since = performance.now();
    this.#timer = setTimeout(
      () => {
        // If this thread was busy, a message of the worker may be waiting. Handle it first.
        const timer = this.#timer;
        setImmediate(() => {
          if (this.#timer === timer) this.#onSlow();
        });
      },
      Math.max(1, this.#leftMs),
    );
  }

  pause(): void {
    if (this.#timer === undefined) return;
    this.#leftMs -= performance.now() - this.#since;
    this.stop();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
