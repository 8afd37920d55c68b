/** Counts the time of an action, except while it stands still, and tells once when it is up. */
export class WallClock {
  readonly #now: () => number;
  readonly #onLate: () => void;
  #left: number;
  #since: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number, onLate: () => void, now: () => number = () => performance.now()) {
    this.#left = ms;
    this.#onLate = onLate;
    this.#now = now;
    this.resume();
  }

  pause(): void {
    if (this.#since === undefined) return;
    this.#left -= this.#now() - this.#since;
    this.#since = undefined;
    clearTimeout(this.#timer);
  }

  resume(): void {
    if (this.#since !== undefined) return;
    this.#since = this.#now();
    this.#timer = setTimeout(this.#onLate, Math.min(Math.max(0, this.#left), 2 ** 31 - 1));
  }

  stop(): void {
    this.#since = undefined;
    clearTimeout(this.#timer);
  }
}
