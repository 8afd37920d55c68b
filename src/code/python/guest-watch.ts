/** Counts the time a guest runs, and says when it has had enough. It stands still while the guest waits for an answer. */
export class GuestWatch {
  readonly #cpuMs: number;
  readonly #onSlow: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(cpuMs: number, onSlow: () => void) {
    this.#cpuMs = cpuMs;
    this.#onSlow = onSlow;
  }

  /** The guest runs again, after so much time that it has used already. */
  run(usedMs: number): void {
    this.stop();
    const timer = setTimeout(
      () => {
        // This thread may have been busy while the guest's message came in: that is read before this runs.
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
