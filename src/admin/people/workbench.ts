import { BiplaneError } from "../../errors.ts";

/** Room for few pieces of heavy work at a time, so that a flood of logins takes neither the memory nor the threads. */
export class Workbench {
  readonly #places: number;
  readonly #mostWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #busy = 0;

  constructor(places: number, mostWaiting: number) {
    this.#places = places;
    this.#mostWaiting = mostWaiting;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#busy >= this.#places) {
      if (this.#waiting.length >= this.#mostWaiting) throw tooBusy();
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#busy++;
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#busy--;
    }
  }
}

function tooBusy(): BiplaneError {
  return new BiplaneError("RATE_LIMITED", "Too many people are logging in at once; try again in a few seconds", {
    details: { retryAfterMs: 5000 },
  });
}
