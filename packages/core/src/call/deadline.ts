/** A one-shot timer. Resuming after a pause restarts the full timeout. */
export class PausableDeadline {
  readonly #timeoutMs: number;
  readonly #onLate: () => void;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Infinity;
  #over = false;

  constructor(timeoutMs: number, { onLate, startedAt }: { onLate: () => void; startedAt: number }) {
    this.#timeoutMs = timeoutMs;
    this.#onLate = onLate;
    this.#start(startedAt);
  }

  /** True if the time is over, also while code that never waits has kept the timer from firing. */
  get isLate(): boolean {
    return performance.now() > this.#dueAt;
  }

  pause(): void {
    clearTimeout(this.#timer);
    this.#dueAt = Infinity;
  }

  resume(): void {
    this.pause();
    if (!this.#over) this.#start(performance.now());
  }

  stop(): void {
    this.#over = true;
    this.pause();
  }

  #start(at: number): void {
    this.#dueAt = at + this.#timeoutMs;
    this.#timer = setTimeout(this.#onLate, this.#dueAt - performance.now());
  }
}
