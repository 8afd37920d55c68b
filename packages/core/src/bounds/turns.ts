/** Gives other work a turn during a long one: call `next` in its loop and await what it returns. */
export class Turns {
  #endsAt = performance.now() + turnMs;

  /** A promise if this work has had its turn. */
  next(): Promise<void> | undefined {
    if (performance.now() < this.#endsAt) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#endsAt = performance.now() + turnMs;
        resolve();
      });
    });
  }
}

/** A call that waits for files or the store waits for a turn of the event loop each time, so turns are short. */
const turnMs = 2;
