import { BiplaneError } from "../../errors.ts";

/** The time one piece of work has as a whole, joined with the caller's own signal. */
export class Deadline implements Disposable {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #outer: AbortSignal | undefined;
  readonly #endsAt: number;
  readonly #now: () => number;

  constructor(timeoutMs: number, options: { signal?: AbortSignal | undefined; now: () => number; what: string }) {
    const { signal, now, what } = options;
    this.#now = now;
    this.#endsAt = now() + timeoutMs;
    const late = new BiplaneError("TIMEOUT", `${what} did not answer within ${timeoutMs / 1000} s`);
    this.#timer = setTimeout(() => this.#controller.abort(late), timeoutMs);
    this.#outer = signal;
    if (signal?.aborted) this.#cancel();
    signal?.addEventListener("abort", this.#cancel, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Milliseconds that are left. */
  get remaining(): number {
    return Math.max(0, this.#endsAt - this.#now());
  }

  /** What work that cannot be interrupted comes to, or the end of the time. */
  race<T>(work: Promise<T>): Promise<T> {
    const { signal } = this;
    return new Promise<T>((resolve, reject) => {
      const stop = () => reject(signal.reason as Error);
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop, { once: true });
      void work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
    });
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener("abort", this.#cancel);
  }

  readonly #cancel = (): void => {
    this.#controller.abort(new BiplaneError("CANCELLED", "the caller went away", { cause: this.#outer?.reason }));
  };
}
