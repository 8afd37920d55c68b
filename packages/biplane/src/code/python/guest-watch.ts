/** Measures the CPU time of a guest and calls `onSlow` when it exceeds the limit. Stopped while the guest waits. */
export class GuestWatch {
  readonly #cpuMs: number;
  readonly #onSlow: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(cpuMs: number, onSlow: () => void) {
    this.#cpuMs = cpuMs;
    this.#onSlow = onSlow;
  }

  /** Starts the timer, minus the time the guest has used already. */
  run(usedMs: number): void {
    this.stop();
    const timer = setTimeout(
      () => {
        // If this thread was busy, a message of the guest may be pending. Handle it before giving up.
        setImmediate(() => {
          if (this.#timer === timer) this.#onSlow();
        });
      },
      Math.max(1, this.#cpuMs - usedMs),
    );
    this.#timer = timer;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
