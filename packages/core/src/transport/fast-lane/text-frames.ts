import { isUtf8 } from "node:buffer";
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";

/**
 * Reads the frames of a client. A short text message in one frame, as most are, is read here. `ws` reads all others, and
 * closes the connection if a frame is wrong.
 */
export class FrameReader {
  readonly #client: WebSocket;
  readonly #readByWs: (bytes: Buffer) => void;
  readonly #maxBytes: number;
  /** The beginning of a frame whose length is not known yet. */
  #head: Buffer | undefined;
  /** How much is still to come of a frame that `ws` reads. */
  #left = 0;
  /** True until `ws` has reported what was wrong with a frame, if anything was. */
  #isWsBusy = false;
  /** True between the frames of a message in several. */
  #isFragmented = false;

  constructor(client: WebSocket, readByWs: (bytes: Buffer) => void, maxBytes: number) {
    this.#client = client;
    this.#readByWs = readByWs;
    this.#maxBytes = maxBytes;
  }

  read(chunk: Buffer): void {
    const bytes = this.#head ? Buffer.concat([this.#head, chunk]) : chunk;
    this.#head = undefined;
    let at = Math.min(this.#left, bytes.length);
    if (at > 0) this.#leave(bytes.subarray(0, at));
    while (at < bytes.length) {
      const frame = frameAt(bytes, at);
      if (frame === undefined) {
        this.#head = Buffer.from(bytes.subarray(at));
        return;
      }
      const end = Math.min(frame.end, bytes.length);
      if (!this.#readText(bytes, frame)) {
        this.#left = frame.end - at;
        this.#leave(bytes.subarray(at, end));
      }
      if (frame.opcode < firstControl) this.#isFragmented = !frame.isFinal;
      at = end;
    }
  }

  /** Leaves a part of a frame to `ws`. */
  #leave(bytes: Buffer): void {
    this.#left -= bytes.length;
    this.#readByWs(bytes);
    if (this.#isWsBusy) return;
    this.#isWsBusy = true;
    setImmediate(() => (this.#isWsBusy = false));
  }

  #readText(bytes: Buffer, { first, from, end }: Frame): boolean {
    if (first !== finalText || this.#isFragmented || this.#isWsBusy) return false;
    if (end > bytes.length || end - from > this.#maxBytes || this.#client.readyState !== this.#client.OPEN)
      return false;
    const text = unmasked(bytes, from, end);
    if (text) this.#client.emit("message", text, false);
    return text !== undefined;
  }
}

interface Frame {
  /** The first byte: flags and opcode. */
  readonly first: number;
  readonly opcode: number;
  readonly isFinal: boolean;
  /** Where its payload begins and ends. Its mask is before it. */
  readonly from: number;
  readonly end: number;
}

/** The frame at a place; undefined if its length is not there yet. A frame without a mask has no end: it is wrong. */
function frameAt(bytes: Buffer, at: number): Frame | undefined {
  if (bytes.length < at + 2) return undefined;
  const first = bytes[at] as number;
  const second = bytes[at + 1] as number;
  const short = second & 0x7f;
  const from = at + (short < 126 ? 6 : short === 126 ? 8 : 14);
  if (bytes.length < from) return undefined;
  const size = short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2));
  const isMasked = second >= 0x80;
  return { first, opcode: first & 0x0f, isFinal: first >= 0x80, from, end: isMasked ? from + size : Infinity };
}

/** The payload without its mask; undefined if it is not UTF-8. */
function unmasked(bytes: Buffer, from: number, end: number): Buffer | undefined {
  const text = Buffer.allocUnsafe(end - from);
  const mask = from - 4;
  let all = 0;
  for (let at = 0; at < text.length; at++) {
    const byte = (bytes[from + at] as number) ^ (bytes[mask + (at & 3)] as number);
    text[at] = byte;
    all |= byte;
  }
  return all < 0x80 || isUtf8(text) ? text : undefined;
}

/** A text message in one frame, without extensions. */
const finalText = 0x81;
/** Opcodes from here on are of frames that can come between those of a message. */
const firstControl = 8;

/** Writes a short message in ASCII as one frame, in one write. False if `ws` must send it. */
export function writeFrame(socket: Duplex, text: string, done: () => void): boolean {
  const size = text.length;
  if (size > maxShortText || Buffer.byteLength(text) !== size) return false;
  const head =
    size < 126 ? String.fromCharCode(finalText, size) : String.fromCharCode(finalText, 126, size >> 8, size & 0xff);
  socket.write(head + text, "latin1", done);
  return true;
}

const maxShortText = 16 * 1024;
