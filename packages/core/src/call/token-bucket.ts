/** Average calls per second, and how many may come at once. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** Takes a token from the bucket with this key. Returns 0, or the milliseconds until one is available. */
export type TakeToken = (key: string, rate: Rate) => number | Promise<number>;

/** Token buckets by key. Full buckets are dropped, since they equal new ones. */
export class TokenBuckets {
  readonly #now: () => number;
  readonly #buckets = new Map<string, { tokens: number; at: number; rate: Rate }>();
  #sweepAt = 1000;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Takes a token. Returns 0, or the milliseconds until one is available. */
  take(key: string, rate: Rate): number {
    const now = this.#now();
    const bucket = this.#buckets.get(key);
    if (!bucket) {
      this.#buckets.set(key, { tokens: rate.burst - 1, at: now, rate });
      if (this.#buckets.size > this.#sweepAt) this.#sweep(now);
      return rate.burst >= 1 ? 0 : Infinity;
    }
    const elapsed = Math.max(0, now - bucket.at);
    bucket.tokens = Math.min(rate.burst, bucket.tokens + (elapsed / 1000) * rate.perSecond);
    bucket.at = now;
    if (bucket.tokens < 1) return Math.ceil(((1 - bucket.tokens) / rate.perSecond) * 1000);
    bucket.tokens--;
    return 0;
  }

  #sweep(now: number): void {
    for (const [key, { tokens, at, rate }] of this.#buckets) {
      if (tokens + ((now - at) / 1000) * rate.perSecond >= rate.burst) this.#buckets.delete(key);
    }
    this.#sweepAt = Math.max(1000, this.#buckets.size * 2);
  }
}
