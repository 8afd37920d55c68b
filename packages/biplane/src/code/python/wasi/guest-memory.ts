import { errno, WasiFault } from "./errno.ts";

/** Bounds-checked access to the guest's memory. Addresses come from the guest and are untrusted. */
export class GuestMemory {
  readonly #memory: WebAssembly.Memory;
  #bytes: Uint8Array;
  #view: DataView;

  constructor(memory: WebAssembly.Memory) {
    this.#memory = memory;
    this.#bytes = new Uint8Array(memory.buffer);
    this.#view = new DataView(memory.buffer);
  }

  /** A view of the guest's memory, valid until the guest runs again. */
  slice(address: number, length: number): Uint8Array {
    this.#refresh();
    const start = address >>> 0;
    const end = start + (length >>> 0);
    if (end > this.#bytes.length) throw new WasiFault(errno.fault);
    return this.#bytes.subarray(start, end);
  }

  text(address: number, length: number): string {
    return new TextDecoder().decode(this.slice(address, length));
  }

  /** The buffers of an iovec array. */
  *pieces(address: number, count: number): Generator<Uint8Array> {
    if (count >>> 0 > maxPieces) throw new WasiFault(errno.inval);
    for (let index = 0; index < count; index++) {
      const entry = (address >>> 0) + index * 8;
      yield this.slice(this.readU32(entry), this.readU32(entry + 4));
    }
  }

  readU32(address: number): number {
    this.slice(address, 4);
    return this.#view.getUint32(address >>> 0, true);
  }

  readU64(address: number): bigint {
    this.slice(address, 8);
    return this.#view.getBigUint64(address >>> 0, true);
  }

  writeU8(address: number, value: number): void {
    this.slice(address, 1)[0] = value;
  }

  writeU16(address: number, value: number): void {
    this.slice(address, 2);
    this.#view.setUint16(address >>> 0, value, true);
  }

  writeU32(address: number, value: number): void {
    this.slice(address, 4);
    this.#view.setUint32(address >>> 0, value, true);
  }

  writeU64(address: number, value: bigint): void {
    this.slice(address, 8);
    this.#view.setBigUint64(address >>> 0, value, true);
  }

  /** A memory gets a new buffer when it grows. */
  #refresh(): void {
    if (this.#bytes.buffer === this.#memory.buffer) return;
    this.#bytes = new Uint8Array(this.#memory.buffer);
    this.#view = new DataView(this.#memory.buffer);
  }
}

const maxPieces = 1024;
