import { BiplaneError } from "@biplane/core";

/** After a failure, waits before the next request, so that callers cannot make us flood the issuer. */
export class IssuerBreaker {
  readonly #now: () => number;
  #failedAt = -Infinity;

  constructor(now: () => number) {
    this.#now = now;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#now() - this.#failedAt < retryMs)
      throw new BiplaneError("CAPACITY", "Tokens cannot be checked now. Try again in a few seconds.");
    try {
      return await work();
    } catch (error) {
      this.#failedAt = this.#now();
      throw error;
    }
  }
}

const retryMs = 5000;
