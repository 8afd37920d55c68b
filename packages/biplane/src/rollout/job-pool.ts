/** Runs jobs with limited concurrency and yields their results as they complete. */
export class JobPool<Job, Result> implements AsyncIterable<Result> {
  readonly #jobs: Iterator<Job>;
  readonly #work: (job: Job) => Promise<Result>;
  readonly #concurrency: number;
  readonly #done: Result[] = [];
  readonly #workers: Promise<void>[];
  #running: number;
  #failure: { readonly error: unknown } | undefined;
  #isOver = false;
  #onResult: (() => void) | undefined;
  #onRoom: (() => void)[] = [];

  constructor(jobs: Iterable<Job>, options: { concurrency: number; work: (job: Job) => Promise<Result> }) {
    const { concurrency, work } = options;
    this.#jobs = jobs[Symbol.iterator]();
    this.#work = work;
    this.#concurrency = Math.max(1, Math.floor(concurrency));
    this.#running = this.#concurrency;
    this.#workers = Array.from({ length: this.#concurrency }, () => this.#run());
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Result, void, undefined> {
    while (true) {
      while (this.#done.length > 0) {
        yield this.#done.shift() as Result;
        this.#onRoom.shift()?.();
      }
      if (this.#failure) throw this.#failure.error;
      if (this.#running === 0) return;
      await new Promise<void>((resolve) => (this.#onResult = resolve));
    }
  }

  /** Starts no further jobs; resolves when the running ones are done. */
  async end(): Promise<void> {
    this.#isOver = true;
    for (const go of this.#onRoom.splice(0)) go();
    await Promise.all(this.#workers);
  }

  async #run(): Promise<void> {
    try {
      while (!this.#isOver && !this.#failure) {
        const { done, value } = this.#jobs.next();
        if (done) break;
        this.#done.push(await this.#work(value));
        this.#onResult?.();
        // Backpressure: wait until results are consumed.
        if (this.#done.length > this.#concurrency && !this.#isOver)
          await new Promise<void>((go) => this.#onRoom.push(go));
      }
    } catch (error) {
      this.#failure ??= { error };
    } finally {
      this.#running--;
      this.#onResult?.();
    }
  }
}
