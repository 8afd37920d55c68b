/** Collects printed lines, because a message for each would flood the host. */
export class BatchedPrint {
  readonly #send: (text: string) => void;
  #lines: string[] = [];
  #waitingBytes = 0;
  #bytesLeft: number;
  #sentAt = performance.now();

  constructor(maxBytes: number, send: (text: string) => void) {
    this.#bytesLeft = maxBytes;
    this.#send = send;
  }

  /** Adds a line. Sends one line more than allowed, cut, so that the host sees that there was more. */
  add(line: string): void {
    if (this.#bytesLeft < 0) return;
    const text = `${line}\n`.slice(0, this.#bytesLeft + 1);
    this.#bytesLeft -= line.length + 1;
    this.#lines.push(text);
    this.#waitingBytes += text.length;
    if (this.#waitingBytes >= batchBytes || performance.now() - this.#sentAt > batchMs) this.flush();
  }

  flush(): void {
    if (this.#lines.length === 0) return;
    this.#send(this.#lines.join(""));
    this.#lines = [];
    this.#waitingBytes = 0;
    this.#sentAt = performance.now();
  }
}

const batchBytes = 8192;
const batchMs = 50;
