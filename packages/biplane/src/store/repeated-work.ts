export interface RepeatedWorkOptions {
  readonly everyMs: number;
  /** `isRepeated` if the work failed the time before, too. */
  readonly onFault: (fault: unknown, isRepeated: boolean) => void;
}

/** Work that is done again and again, never twice at the same time. */
export class RepeatedWork implements AsyncDisposable {
  readonly #work: () => Promise<void>;
  readonly #onFault: RepeatedWorkOptions["onFault"];
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> | undefined;
  #isFailing = false;

  constructor(work: () => Promise<void>, { everyMs, onFault }: RepeatedWorkOptions) {
    this.#work = work;
    this.#onFault = onFault;
    this.#timer = setInterval(() => void this.run(), everyMs).unref();
  }

  /** Does the work now, or waits until it is done that has begun already. Never rejects. */
  run(): Promise<void> {
    return (this.#running ??= this.#runOnce().finally(() => {
      this.#running = undefined;
    }));
  }

  /** Does the work, or waits until it is done, from a beginning after this call. Never rejects. */
  async runAnew(): Promise<void> {
    await this.#running;
    await this.run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  async #runOnce(): Promise<void> {
    try {
      await this.#work();
      this.#isFailing = false;
    } catch (fault) {
      this.#onFault(fault, this.#isFailing);
      this.#isFailing = true;
    }
  }
}
