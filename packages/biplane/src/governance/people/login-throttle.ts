import { BiplaneError } from "@biplane/core";

export interface LoginThrottleOptions {
  /** Failed attempts in a row before pauses start (default: 5). */
  readonly free?: number;
  /** Length of the first pause; each further one doubles (default: 1000). */
  readonly firstMs?: number;
  /** Maximum pause, so that nobody is locked out for good (default: 60,000). */
  readonly longestMs?: number;
  /** Time without attempts after which the count resets (default: 15 minutes). */
  readonly forgetMs?: number;
  readonly now?: () => number;
}

/** Slows down guessing: after some failed attempts, each further one has to wait. */
export class LoginThrottle {
  readonly #free: number;
  readonly #firstMs: number;
  readonly #longestMs: number;
  readonly #forgetMs: number;
  readonly #now: () => number;
  readonly #attempts = new Map<string, Attempts>();

  constructor(options: LoginThrottleOptions = {}) {
    const { free = 5, firstMs = 1000, longestMs = 60_000, forgetMs = 15 * 60_000, now = Date.now } = options;
    this.#free = free;
    this.#firstMs = firstMs;
    this.#longestMs = longestMs;
    this.#forgetMs = forgetMs;
    this.#now = now;
  }

  /**
   * Counts an attempt as failed before it is made, so that parallel attempts all count. `undo` and `reset` revert it.
   * Attempts during a pause do not count, so that pauses end.
   */
  count(keys: readonly string[]): void {
    const now = this.#now();
    // Do not store anything yet: throttled callers could evict the counts of others.
    const waitMs = Math.max(...keys.map((key) => this.#recent(key, now)?.notBefore ?? 0)) - now;
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1000);
      throw new BiplaneError("RATE_LIMITED", `Too many failed attempts. Try again in ${seconds} s.`, {
        details: { retryAfterMs: waitMs },
      });
    }
    for (const key of keys) {
      const attempts = this.#track(key, now);
      attempts.count++;
      attempts.at = now;
      attempts.notBefore = now + this.#pauseMs(attempts.count);
    }
  }

  /** Reverts a counted attempt. No pause was active when it was made, so none is now. */
  undo(keys: readonly string[]): void {
    for (const key of keys) {
      const attempts = this.#attempts.get(key);
      if (!attempts) continue;
      attempts.count = Math.max(0, attempts.count - 1);
      attempts.notBefore = 0;
    }
  }

  /** Forgets all attempts under this key after a successful login. */
  reset(key: string): void {
    this.#attempts.delete(key);
  }

  #pauseMs(count: number): number {
    const over = count - this.#free;
    return over < 0 ? 0 : Math.min(this.#longestMs, this.#firstMs * 2 ** Math.min(over, 30));
  }

  #recent(key: string, now: number): Attempts | undefined {
    const attempts = this.#attempts.get(key);
    return attempts && now - attempts.at <= this.#forgetMs ? attempts : undefined;
  }

  #track(key: string, now: number): Attempts {
    const attempts = this.#recent(key, now) ?? { count: 0, at: now, notBefore: 0 };
    // Move the key to the end, so that the quietest keys are evicted first.
    this.#attempts.delete(key);
    if (this.#attempts.size >= maxKeys) this.#attempts.delete(this.#attempts.keys().next().value ?? "");
    this.#attempts.set(key, attempts);
    return attempts;
  }
}

interface Attempts {
  count: number;
  at: number;
  notBefore: number;
}

const maxKeys = 10_000;
