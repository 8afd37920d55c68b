/** Works on many jobs, so many at once, and gives what they come to in the order in which they are done. */
export class Pool<Job, Result> implements AsyncIterable<Result> {
  readonly #jobs: Iterator<Job>;
  readonly #work: (job: Job) => Promise<Result>;
  readonly #most: number;
  readonly #done: Result[] = [];
  readonly #workers: Promise<void>[];
  #running: number;
  #failure: { readonly error: unknown } | undefined;
  #isOver = false;
  /** Called when there is something new: a result, an end, or room for more results. */
  #onResult: (() => void) | undefined;
  #onRoom: (() => void)[] = [];

  constructor(jobs: Iterable<Job>, concurrency: number, work: (job: Job) => Promise<Result>) {
    this.#jobs = jobs[Symbol.iterator]();
    this.#work = work;
    this.#most = Math.max(1, Math.floor(concurrency));
    this.#running = this.#most;
    this.#workers = Array.from({ length: this.#most }, () => this.#run());
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

  /** No further jobs are begun; resolves when those that were are over. */
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
        // Results that nobody takes must not pile up.
        if (this.#done.length > this.#most && !this.#isOver) await new Promise<void>((go) => this.#onRoom.push(go));
      }
    } catch (error) {
      this.#failure ??= { error };
    } finally {
      this.#running--;
      this.#onResult?.();
    }
  }
}
