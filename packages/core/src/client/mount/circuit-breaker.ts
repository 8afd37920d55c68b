import { BiplaneError } from "../../errors.ts";

export interface CircuitBreakerOptions {
  /** Consecutive failures that open the breaker (default: 3). */
  readonly failures?: number;
  /** How long calls then fail at once; doubles each time, up to 60000 (default: 1000). */
  readonly restMs?: number;
  readonly now?: () => number;
}

/** Health of a mounted server. */
export interface Health {
  readonly status: "up" | "failing" | "resting";
  readonly failures: number;
  readonly lastError: string | undefined;
}

/** A circuit breaker: after repeated failures, calls fail at once instead of waiting for a timeout. */
export class CircuitBreaker {
  readonly #name: string;
  readonly #maxFailures: number;
  readonly #restMs: number;
  readonly #now: () => number;
  #failures = 0;
  #restingUntil = 0;
  #isTrying = false;
  #lastError: string | undefined;

  constructor(name: string, { failures = 3, restMs = 1000, now = Date.now }: CircuitBreakerOptions = {}) {
    this.#name = name;
    this.#maxFailures = failures;
    this.#restMs = restMs;
    this.#now = now;
  }

  get health(): Health {
    const isResting = this.#failures >= this.#maxFailures && this.#now() < this.#restingUntil;
    const status = isResting ? "resting" : this.#failures > 0 ? "failing" : "up";
    return { status, failures: this.#failures, lastError: this.#lastError };
  }

  /** Runs `work`, or throws while the breaker is open. `isFault` selects the errors that count as server failures. */
  async run<T>(work: () => Promise<T>, isFault: (error: unknown) => boolean): Promise<T> {
    const isProbe = this.#enter();
    try {
      const result = await work();
      this.#failures = 0;
      return result;
    } catch (error) {
      if (isFault(error)) this.#fail(error);
      else this.#failures = 0;
      throw error;
    } finally {
      if (isProbe) this.#isTrying = false;
    }
  }

  /** After the pause, lets a single call through as a probe. */
  #enter(): boolean {
    if (this.#failures < this.#maxFailures) return false;
    const waitMs = this.#restingUntil - this.#now();
    if (waitMs > 0 || this.#isTrying) {
      const when = waitMs > 0 ? `in ${Math.ceil(waitMs / 100) / 10} s` : "with a call that is in progress";
      throw new BiplaneError(
        "EXECUTION_ERROR",
        `${this.#name} is unavailable (${this.#lastError ?? "unknown reason"}). It is retried ${when}.`,
        { details: { mount: this.#name, retryAfterMs: Math.max(waitMs, 100) } },
      );
    }
    this.#isTrying = true;
    return true;
  }

  #fail(error: unknown): void {
    this.#failures++;
    this.#lastError = error instanceof Error ? error.message : String(error);
    const rests = Math.max(0, this.#failures - this.#maxFailures);
    if (this.#failures >= this.#maxFailures)
      this.#restingUntil = this.#now() + Math.min(this.#restMs * 2 ** Math.min(rests, 10), maxRestMs);
  }
}

const maxRestMs = 60_000;
