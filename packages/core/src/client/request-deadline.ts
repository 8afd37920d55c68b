import { BiplaneError } from "../errors.ts";

/** A request timeout combined with the caller's signal. */
export class RequestDeadline implements Disposable {
  readonly signal: AbortSignal;
  readonly #ms: number;
  readonly #what: string;
  readonly #isPaused: () => boolean;
  readonly #late = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  /** The timeout restarts while `isPaused` returns true: a person is answering a question. */
  constructor(ms: number, options: { what: string; signal?: AbortSignal | undefined; isPaused?: () => boolean }) {
    this.#ms = ms;
    this.#what = options.what;
    this.#isPaused = options.isPaused ?? (() => false);
    this.signal = options.signal ? AbortSignal.any([options.signal, this.#late.signal]) : this.#late.signal;
    this.extend();
  }

  /** Restarts the timeout. */
  extend(): void {
    clearTimeout(this.#timer);
    if (this.#ms === Infinity) return;
    this.#timer = setTimeout(() => {
      if (this.#isPaused()) return this.extend();
      this.#late.abort(new BiplaneError("TIMEOUT", `${this.#what} timed out after ${this.#ms} ms.`));
    }, this.#ms);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
