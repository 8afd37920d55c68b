/** A peer that lets more than this many bytes pile up unread is disconnected. */
export const maxUnsentBytes = 16 * 1024 * 1024;

/**
 * Notices that a peer lets messages pile up. A single message may be larger than the limit, and a peer needs time to read
 * it, so the largest one that is unsent does not count.
 */
export class UnsentBytes {
  readonly #count: () => number;
  #largest = 0;

  constructor(count: () => number) {
    this.#count = count;
  }

  /** Sends a message. */
  send(write: () => void): void {
    const before = this.#count();
    if (before === 0) this.#largest = 0;
    write();
    this.#largest = Math.max(this.#largest, this.#count() - before);
  }

  get isTooMuch(): boolean {
    return this.#count() - this.#largest > maxUnsentBytes;
  }
}
