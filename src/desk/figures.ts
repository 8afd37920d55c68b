/** Counts calls by the second, for the last minute and altogether. */
export class CallFigures {
  readonly #now: () => number;
  readonly #calls = new Uint32Array(seconds);
  readonly #errors = new Uint32Array(seconds);
  /** The second that is being counted. */
  #second: number;
  #allCalls = 0;
  #allErrors = 0;
  #running = 0;

  constructor(now: () => number = Date.now) {
    this.#now = now;
    this.#second = this.#thisSecond();
  }

  begin(): void {
    this.#running++;
  }

  leave(): void {
    this.#running--;
  }

  end(isError: boolean): void {
    this.#turn();
    const at = this.#second % seconds;
    this.#calls[at] = (this.#calls[at] ?? 0) + 1;
    this.#allCalls++;
    if (!isError) return;
    this.#errors[at] = (this.#errors[at] ?? 0) + 1;
    this.#allErrors++;
  }

  /** Of whole seconds only: the one that is not over yet would always look like a fall. */
  read(): CountedCalls {
    this.#turn();
    const minute = Array.from({ length: 60 }, (_, ago) => {
      const at = (this.#second - 60 + ago + seconds) % seconds;
      return { calls: this.#calls[at] ?? 0, errors: this.#errors[at] ?? 0 };
    });
    const lately = minute.slice(-fewSeconds);
    const mean = (count: (second: { calls: number; errors: number }) => number) =>
      Math.round((lately.reduce((sum, second) => sum + count(second), 0) / fewSeconds) * 10) / 10;
    return {
      callsPerSecond: mean(({ calls }) => calls),
      errorsPerSecond: mean(({ errors }) => errors),
      calls: this.#allCalls,
      errors: this.#allErrors,
      running: this.#running,
      minute,
    };
  }

  /** Empties the seconds that have come since. */
  #turn(): void {
    const now = this.#thisSecond();
    if (now === this.#second) return;
    // A clock that is set back must not stop the counting.
    const from = now > this.#second ? Math.max(this.#second, now - seconds) : now - 1;
    for (let second = from + 1; second <= now; second++) {
      this.#calls[second % seconds] = 0;
      this.#errors[second % seconds] = 0;
    }
    this.#second = now;
  }

  #thisSecond(): number {
    return Math.floor(this.#now() / 1000);
  }
}

export interface CountedCalls {
  readonly callsPerSecond: number;
  readonly errorsPerSecond: number;
  readonly calls: number;
  readonly errors: number;
  readonly running: number;
  readonly minute: readonly { readonly calls: number; readonly errors: number }[];
}

/** A minute, and the second that is being counted. */
const seconds = 61;
/** What a rate is the mean of: fewer would jump about, more would lag. */
const fewSeconds = 5;
