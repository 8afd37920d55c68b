/** Limits on what an app may do. For the defaults, see `defaultLimits`. */
export interface AppLimits {
  /** Average rate, and also the burst. Further messages are rejected. */
  readonly messagesPerSecond: number;
  /** Longer messages are ignored. */
  readonly charactersPerMessage: number;
  readonly callsInFlight: number;
  /** Number of rejected or invalid messages after which the app is stopped. */
  readonly faults: number;
  /** Maximum width and height if `containerDimensions` has none. */
  readonly pixels: number;
  /** Time limit for loading the sandbox, in milliseconds. */
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

/** A token bucket. */
export class MessageThrottle {
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

  /** Takes a token. Returns false if there is none. */
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
