import type { LiveCall } from "../call/live-call.ts";

/** The calls that a server has not answered yet. */
export class RunningCalls {
  readonly #calls = new Set<LiveCall>();
  readonly #whenIdle: (() => void)[] = [];

  /** Counts a call until its outcome is known. */
  track<T>(call: LiveCall, outcome: Promise<T>): Promise<T> {
    this.#calls.add(call);
    return outcome.finally(() => {
      this.#calls.delete(call);
      if (this.#calls.size === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
    });
  }

  /** Waits for running calls. Cancels those that take longer than `graceMs` or wait for a person. */
  async drain(graceMs: number): Promise<void> {
    if (this.#calls.size === 0) return;
    const idle = new Promise<void>((resolve) => this.#whenIdle.push(resolve));
    for (const call of this.#calls) if (call.isWaitingForPerson) call.cancel("The server is closing.");
    const timer = setTimeout(() => {
      for (const call of this.#calls) call.cancel("The server is closing.");
    }, graceMs);
    await idle;
    clearTimeout(timer);
  }
}
