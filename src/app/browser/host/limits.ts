/** How much an app may do to the page it is shown in. Each may be set; these are what holds otherwise. */
export interface AppLimits {
  /** On average, and at once. More are refused. */
  readonly messagesPerSecond: number;
  /** In one message of the app. A longer one is ignored. */
  readonly charactersPerMessage: number;
  readonly callsInFlight: number;
  /** After so many messages that were too many, too long or no messages at all, the app is stopped. */
  readonly faults: number;
  /** The largest width and height, where the page itself gives no maximum. */
  readonly pixels: number;
  /** How long the sandbox may take to answer. */
  readonly openMs: number;
}

export const defaultLimits: AppLimits = {
  messagesPerSecond: 200,
  charactersPerMessage: 4 * 1024 * 1024,
  callsInFlight: 16,
  faults: 1000,
  pixels: 10_000,
  openMs: 15_000,
};

/** Counts what an app sends: a bucket that fills again with time. */
export class Throttle {
  readonly #perSecond: number;
  readonly #now: () => number;
  #left: number;
  #at: number;

  constructor(perSecond: number, now: () => number) {
    this.#perSecond = perSecond;
    this.#now = now;
    this.#left = perSecond;
    this.#at = now();
  }

  /** Whether there is room for one more. */
  take(): boolean {
    const now = this.#now();
    const gained = (Math.max(0, now - this.#at) / 1000) * this.#perSecond;
    this.#left = Math.min(this.#perSecond, this.#left + gained);
    this.#at = now;
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}
