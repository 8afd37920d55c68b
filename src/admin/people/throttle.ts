import { BiplaneError } from "../../errors.ts";

export interface ThrottleOptions {
  /** How many wrong guesses in a row cost nothing. */
  readonly free?: number;
  /** How long the first pause is; each is twice the one before. */
  readonly firstMs?: number;
  /** No pause is longer: nobody is locked out for good. */
  readonly longestMs?: number;
  /** After that long without a guess all is forgotten. */
  readonly forgetMs?: number;
  readonly now?: () => number;
}

/** Makes guessing slow: after some wrong guesses each further one has to wait. */
export class Throttle {
  readonly #free: number;
  readonly #firstMs: number;
  readonly #longestMs: number;
  readonly #forgetMs: number;
  readonly #now: () => number;
  readonly #guesses = new Map<string, Guesses>();

  constructor(options: ThrottleOptions = {}) {
    const { free = 5, firstMs = 1000, longestMs = 60_000, forgetMs = 15 * 60_000, now = Date.now } = options;
    this.#free = free;
    this.#firstMs = firstMs;
    this.#longestMs = longestMs;
    this.#forgetMs = forgetMs;
    this.#now = now;
  }

  /**
   * Counts a guess as wrong before it is made, so that many at once are not one; `takeBack` and `forgive` undo it. One
   * that has to wait counts for nothing, so that waiting has an end.
   */
  enter(keys: readonly string[]): void {
    const now = this.#now();
    // Nothing is kept yet: one who has to wait could push out what is known of others.
    const waitMs = Math.max(...keys.map((key) => this.#known(key, now)?.notBefore ?? 0)) - now;
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1000);
      throw new BiplaneError("RATE_LIMITED", `Too many wrong guesses; try again in ${seconds} s`, {
        details: { retryAfterMs: waitMs },
      });
    }
    for (const key of keys) {
      const guesses = this.#keep(key, now);
      guesses.count++;
      guesses.at = now;
      guesses.notBefore = now + this.#pauseMs(guesses.count);
    }
  }

  /** That guess was none, or it was right. It could only be made because no pause was on, so none is again. */
  takeBack(keys: readonly string[]): void {
    for (const key of keys) {
      const guesses = this.#guesses.get(key);
      if (!guesses) continue;
      guesses.count = Math.max(0, guesses.count - 1);
      guesses.notBefore = 0;
    }
  }

  /** Whoever guesses here has shown who he is. */
  forgive(key: string): void {
    this.#guesses.delete(key);
  }

  #pauseMs(count: number): number {
    const over = count - this.#free;
    return over < 0 ? 0 : Math.min(this.#longestMs, this.#firstMs * 2 ** Math.min(over, 30));
  }

  #known(key: string, now: number): Guesses | undefined {
    const guesses = this.#guesses.get(key);
    return guesses && now - guesses.at <= this.#forgetMs ? guesses : undefined;
  }

  #keep(key: string, now: number): Guesses {
    const guesses = this.#known(key, now) ?? { count: 0, at: now, notBefore: 0 };
    // Put last again: where there are too many, those that were quiet longest go.
    this.#guesses.delete(key);
    if (this.#guesses.size >= mostKeys) this.#guesses.delete(this.#guesses.keys().next().value ?? "");
    this.#guesses.set(key, guesses);
    return guesses;
  }
}

interface Guesses {
  count: number;
  at: number;
  notBefore: number;
}

const mostKeys = 10_000;
