/**
 * Runs tasks at once, except when those before them have held the event loop for some time: then they run after it has
 * turned. Code can make a thousand calls in one message.
 */
export class PacedTasks {
  readonly #waiting: (() => void)[] = [];
  #spentMs = 0;
  #isScheduled = false;

  run(task: () => void): void {
    if (this.#spentMs > sliceMs) this.#waiting.push(task);
    else this.#perform(task);
    this.#schedule();
  }

  #perform(task: () => void): void {
    const start = performance.now();
    task();
    this.#spentMs += performance.now() - start;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#spentMs = 0;
      while (this.#spentMs <= sliceMs) {
        const task = this.#waiting.shift();
        if (!task) return;
        this.#perform(task);
      }
      this.#schedule();
    });
  }
}

const sliceMs = 5;
