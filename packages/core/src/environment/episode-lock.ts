/** A reentrant lock with a queue: the holder may admit one of its own calls at a time; all others wait. */
export class EpisodeLock {
  /** Holders, outermost first. */
  readonly #holders: object[] = [];
  readonly #queue: { readonly holder: object; readonly within: object | undefined; readonly start: () => void }[] = [];

  get isHeld(): boolean {
    return this.#holders.length > 0;
  }

  isHeldBy(holder: object): boolean {
    return this.#holders.includes(holder);
  }

  /** Acquires the lock at once if it is free or if `within` is the innermost holder; else waits. */
  acquire(holder: object, within?: object): void | Promise<void> {
    if (!this.#isFree(within)) return new Promise((start) => this.#queue.push({ holder, within, start }));
    this.#holders.push(holder);
  }

  /** Releases the lock to the next in the queue. */
  release(holder: object): void {
    const at = this.#holders.lastIndexOf(holder);
    if (at < 0) return;
    this.#holders.splice(at, 1);
    const index = this.#queue.findIndex(({ within }) => this.#isFree(within));
    const [next] = index < 0 ? [] : this.#queue.splice(index, 1);
    if (!next) return;
    this.#holders.push(next.holder);
    next.start();
  }

  #isFree(within: object | undefined): boolean {
    const innermost = this.#holders.at(-1);
    return innermost === undefined || innermost === within;
  }
}
