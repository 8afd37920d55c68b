/** A timeout that can be paused. Calls `onTimeout` once when the time is used up. */
export class WallClock {
  readonly #now: () => number;
  readonly #onTimeout: () => void;
  #left: number;
  #since: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number, onTimeout: () => void, now: () => number = () => performance.now()) {
    this.#left = ms;
    this.#onTimeout = onTimeout;
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
    this.#timer = setTimeout(this.#onTimeout, Math.min(Math.max(0, this.#left), 2 ** 31 - 1));
  }

  stop(): void {
    this.#since = undefined;
    clearTimeout(this.#timer);
  }
}
