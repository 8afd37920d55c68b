/**
 * Handles large bodies one in each turn of the event loop, and each caller's in turn. Each of them holds the event loop
 * for some milliseconds; several that arrive together would hold it for all of theirs.
 */
class LargeTurns {
  readonly #waiting = new Map<string, (() => void)[]>();
  #isWorking = false;

  add(caller: string, work: () => void): void {
    if (this.#waiting.size === 0 && !this.#isWorking) setImmediate(this.#next);
    const waiting = this.#waiting.get(caller);
    if (waiting) waiting.push(work);
    else this.#waiting.set(caller, [work]);
  }

  readonly #next = (): void => {
    const [first] = this.#waiting;
    if (!first) return;
    const [caller, works] = first;
    const work = works.shift();
    this.#waiting.delete(caller);
    if (works.length > 0) this.#waiting.set(caller, works); // behind the others
    this.#isWorking = true;
    try {
      work?.();
    } finally {
      this.#isWorking = false;
      if (this.#waiting.size > 0) setImmediate(this.#next);
    }
  };
}

export const largeTurns = new LargeTurns();

/** Smaller bodies are handled at once. */
export const largeBytes = 128 * 1024;
