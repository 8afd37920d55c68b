/**
 * The printed output of an action, in shared memory that the host can read after terminating the worker. Both streams
 * share one limit.
 */
export class OutputBuffer {
  readonly #state: Int32Array;
  readonly #streams: readonly [Uint8Array, Uint8Array];
  readonly #limit: number;

  constructor(shared: SharedArrayBuffer) {
    this.#limit = (shared.byteLength - stateBytes) / 2;
    this.#state = new Int32Array(shared, 0, stateBytes / 4);
    this.#streams = [
      new Uint8Array(shared, stateBytes, this.#limit),
      new Uint8Array(shared, stateBytes + this.#limit, this.#limit),
    ];
  }

  write(stream: 1 | 2, bytes: Uint8Array): void {
    const state = this.#state;
    const used = (state[0] ?? 0) + (state[1] ?? 0);
    const kept = bytes.subarray(0, Math.max(0, this.#limit - used));
    const length = state[stream - 1] ?? 0;
    this.#streams[stream - 1]?.set(kept, length);
    if (kept.length < bytes.length && state[2] === 0) state[2] = stream;
    // Update the length last, so that a reader never sees a partial write.
    Atomics.store(state, stream - 1, length + kept.length);
  }

  read(): { stdout: string; stderr: string; isCut: boolean } {
    return { stdout: this.#text(1), stderr: this.#text(2), isCut: this.#state[2] !== 0 };
  }

  clear(): void {
    this.#state.fill(0);
  }

  #text(stream: 1 | 2): string {
    const length = Math.min(this.#limit, Math.max(0, Atomics.load(this.#state, stream - 1)));
    // TextDecoder does not accept shared memory, so copy it.
    const text = new TextDecoder().decode(this.#streams[stream - 1]?.slice(0, length));
    return this.#state[2] === stream ? `${text.replace(/�+$/, "")}\n[output was truncated]\n` : text;
  }
}

export function makeOutput(bytes: number): SharedArrayBuffer {
  return new SharedArrayBuffer(stateBytes + 2 * bytes);
}

/** The length of each stream, and which one was truncated first. */
const stateBytes = 12;
