import { BiplaneError } from "../errors.ts";

/** The end of a request's patience, together with its caller's own signal. */
export class Deadline implements Disposable {
  readonly signal: AbortSignal;
  readonly #ms: number;
  readonly #what: string;
  readonly #isPaused: () => boolean;
  readonly #late = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  /** While `isPaused` says so, time does not count: somebody is thinking over a question. */
  constructor(ms: number, options: { what: string; signal?: AbortSignal | undefined; isPaused?: () => boolean }) {
    this.#ms = ms;
    this.#what = options.what;
    this.#isPaused = options.isPaused ?? (() => false);
    this.signal = options.signal ? AbortSignal.any([options.signal, this.#late.signal]) : this.#late.signal;
    this.extend();
  }

  /** Starts the time anew. */
  extend(): void {
    clearTimeout(this.#timer);
    if (this.#ms === Infinity) return;
    this.#timer = setTimeout(() => {
      if (this.#isPaused()) return this.extend();
      this.#late.abort(new BiplaneError("TIMEOUT", `${this.#what} took more than ${this.#ms} ms`));
    }, this.#ms);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
