import { BiplaneError } from "../../errors.ts";

export interface BreakerOptions {
  /** How many failures in a row make it rest: 3. */
  readonly failures?: number;
  /** How long it rests at first, doubled each time up to a minute: a second. */
  readonly restMs?: number;
  readonly now?: () => number;
}

/** What is known of a server that calls go to. */
export interface Health {
  readonly status: "up" | "failing" | "resting";
  readonly failures: number;
  readonly lastError: string | undefined;
}

/** Lets a server rest that fails again and again: calls to it then fail at once instead of each waiting its time. */
export class Breaker {
  readonly #name: string;
  readonly #most: number;
  readonly #restMs: number;
  readonly #now: () => number;
  #failures = 0;
  #restingUntil = 0;
  #isTrying = false;
  #lastError: string | undefined;

  constructor(name: string, { failures = 3, restMs = 1000, now = Date.now }: BreakerOptions = {}) {
    this.#name = name;
    this.#most = failures;
    this.#restMs = restMs;
    this.#now = now;
  }

  get health(): Health {
    const isResting = this.#failures >= this.#most && this.#now() < this.#restingUntil;
    const status = isResting ? "resting" : this.#failures > 0 ? "failing" : "up";
    return { status, failures: this.#failures, lastError: this.#lastError };
  }

  /** Runs `work`, or throws at once while the server rests. `isSick` says which errors are the server's being unwell. */
  async run<T>(work: () => Promise<T>, isSick: (error: unknown) => boolean): Promise<T> {
    const isProbe = this.#enter();
    try {
      const result = await work();
      this.#failures = 0;
      return result;
    } catch (error) {
      if (isSick(error)) this.#fail(error);
      else this.#failures = 0;
      throw error;
    } finally {
      if (isProbe) this.#isTrying = false;
    }
  }

  /** After the rest one call goes first, to see how the server is. */
  #enter(): boolean {
    if (this.#failures < this.#most) return false;
    const waitMs = this.#restingUntil - this.#now();
    if (waitMs > 0 || this.#isTrying) {
      const when = waitMs > 0 ? `in ${Math.ceil(waitMs / 100) / 10} s` : "by another call right now";
      throw new BiplaneError(
        "EXECUTION_ERROR",
        `${this.#name} does not answer (${this.#lastError ?? "no reason known"}); it is tried again ${when}`,
        { details: { mount: this.#name, retryAfterMs: Math.max(waitMs, 100) } },
      );
    }
    this.#isTrying = true;
    return true;
  }

  #fail(error: unknown): void {
    this.#failures++;
    this.#lastError = error instanceof Error ? error.message : String(error);
    const rests = Math.max(0, this.#failures - this.#most);
    if (this.#failures >= this.#most)
      this.#restingUntil = this.#now() + Math.min(this.#restMs * 2 ** Math.min(rests, 10), longestRestMs);
  }
}

const longestRestMs = 60_000;
