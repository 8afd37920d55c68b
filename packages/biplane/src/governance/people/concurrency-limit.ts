import { BiplaneError } from "@biplane/core";

/** Limits concurrent heavy work, so that a flood of logins exhausts neither memory nor threads. */
export class ConcurrencyLimit {
  readonly #maxRunning: number;
  readonly #maxWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(maxRunning: number, maxWaiting: number) {
    this.#maxRunning = maxRunning;
    this.#maxWaiting = maxWaiting;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#maxRunning) {
      if (this.#waiting.length >= this.#maxWaiting) throw tooBusy();
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running++;
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}

function tooBusy(): BiplaneError {
  return new BiplaneError("RATE_LIMITED", "Too many people are signing in at once. Try again in a few seconds.", {
    details: { retryAfterMs: 5000 },
  });
}
