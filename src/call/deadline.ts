/** A clock that fires once, unless it is stopped; a pause gives the full time anew. */
export class Deadline {
  readonly #timeoutMs: number;
  readonly #onLate: () => void;
  #timer: NodeJS.Timeout | undefined;
  #over = false;

  constructor(timeoutMs: number, onLate: () => void) {
    this.#timeoutMs = timeoutMs;
    this.#onLate = onLate;
    this.resume();
  }

  pause(): void {
    clearTimeout(this.#timer);
  }

  resume(): void {
    clearTimeout(this.#timer);
    if (!this.#over) this.#timer = setTimeout(this.#onLate, this.#timeoutMs);
  }

  stop(): void {
    this.#over = true;
    clearTimeout(this.#timer);
  }
}
