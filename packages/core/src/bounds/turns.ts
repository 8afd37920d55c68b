import { loopTurns } from "./loop-turns.ts";

/** Gives other work a turn during a long one: call `next` in its loop and await what it returns. */
export class Turns {
  readonly #caller: unknown;
  #endsAt = performance.now() + sliceMs;

  /** @param caller Whose turn it is (default: this work has turns of its own). */
  constructor(caller?: string) {
    this.#caller = caller ?? this;
  }

  /** A promise if this work has had its turn. */
  next(): Promise<void> | undefined {
    if (performance.now() < this.#endsAt) return undefined;
    return this.#takeTurn();
  }

  async #takeTurn(): Promise<void> {
    await loopTurns.next(this.#caller);
    this.#endsAt = performance.now() + sliceMs;
  }
}

/** A call that waits for files or the store waits for a turn of the event loop each time, so turns are short. */
const sliceMs = 2;
