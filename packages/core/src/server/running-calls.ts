import type { LiveCall } from "../call/live-call.ts";
import { BiplaneError } from "../errors.ts";

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
    for (const call of this.#calls) if (call.isWaitingForPerson) end(call);
    const timer = setTimeout(() => {
      for (const call of this.#calls) end(call);
    }, graceMs);
    await idle;
    clearTimeout(timer);
  }
}

/** A step that can be made in another process is refused, so that its caller sends it again. */
function end(call: LiveCall): void {
  const canBeSentAgain = call.root.scope?.abandon(call) ?? false;
  if (canBeSentAgain) call.stop(closingError());
  else call.cancel("The server is closing.");
}

/** For requests that a server which closes does not serve. */
export function closingError(): BiplaneError {
  return new BiplaneError("CAPACITY", "The server is closing. Try again.", { details: { retryAfterMs: 1000 } });
}
