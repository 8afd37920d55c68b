import { BiplaneError } from "@biplane/core";

export interface ConcurrencyLimitOptions {
  readonly running: number;
  /** Work that waits until other work has ended (default: 0). */
  readonly waiting?: number;
  /** The error for work beyond both (default: that too many people are signing in). */
  readonly tooMuch?: () => BiplaneError;
}

/** Limits concurrent heavy work, so that a flood of requests exhausts neither memory nor threads. */
export class ConcurrencyLimit {
  readonly #options: Required<ConcurrencyLimitOptions>;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor({ running, waiting = 0, tooMuch = tooManySignIns }: ConcurrencyLimitOptions) {
    this.#options = { running, waiting, tooMuch };
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    const { running, waiting, tooMuch } = this.#options;
    if (this.#running >= running) {
      if (this.#waiting.length >= waiting) throw tooMuch();
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

function tooManySignIns(): BiplaneError {
  return new BiplaneError("RATE_LIMITED", "Too many people are signing in at once. Try again in a few seconds.", {
    details: { retryAfterMs: 5000 },
  });
}
