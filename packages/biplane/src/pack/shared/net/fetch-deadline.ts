import { BiplaneError } from "@biplane/core";

/** The time limit of one request, combined with the caller's signal. */
export class FetchDeadline implements Disposable {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #outer: AbortSignal | undefined;
  readonly #endsAt: number;
  readonly #now: () => number;

  constructor(timeoutMs: number, options: { signal?: AbortSignal | undefined; now: () => number; what: string }) {
    const { signal, now, what } = options;
    this.#now = now;
    this.#endsAt = now() + timeoutMs;
    const timeout = new BiplaneError("TIMEOUT", `${what} did not answer within ${timeoutMs / 1000} s.`);
    this.#timer = setTimeout(() => this.#controller.abort(timeout), timeoutMs);
    this.#outer = signal;
    if (signal?.aborted) this.#cancel();
    signal?.addEventListener("abort", this.#cancel, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Remaining milliseconds. */
  get remaining(): number {
    return Math.max(0, this.#endsAt - this.#now());
  }

  /** Waits for work that cannot be interrupted, or rejects when the time is up. */
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
    this.#controller.abort(
      new BiplaneError("CANCELLED", "The caller cancelled the request.", { cause: this.#outer?.reason }),
    );
  };
}
