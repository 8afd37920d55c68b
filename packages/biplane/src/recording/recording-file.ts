import { closeSync, fstatSync, mkdirSync, openSync, readSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { BiplaneError } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";
import type { RecordingLine } from "./format.ts";

/**
 * Appends lines to a recording. Each line is handed to the operating system before `append` returns, so that a killed
 * process loses no call that it has answered, and at most its last line is torn.
 */
export class RecordingFile {
  readonly #path: string;
  readonly #maxBytes: number;
  #descriptor: number | undefined;
  #bytes: number;

  constructor(path: string, { maxBytes }: { readonly maxBytes: number }) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    try {
      mkdirSync(dirname(path), { recursive: true });
      // Sessions hold what callers sent, so only the owner may read them.
      this.#descriptor = openSync(path, "a+", 0o600);
      this.#bytes = fstatSync(this.#descriptor).size;
      if (this.#isTorn(this.#descriptor)) this.#write(this.#descriptor, "\n");
    } catch (error) {
      this.close();
      throw new BiplaneError("INVALID_DEFINITION", `Cannot record to ${path}: ${messageOf(error)}`, { cause: error });
    }
  }

  /** True if a line of this many bytes still fits. */
  hasRoomFor(bytes: number): boolean {
    return this.#descriptor !== undefined && this.#bytes + bytes <= this.#maxBytes;
  }

  append(line: RecordingLine): void {
    if (this.#descriptor !== undefined) this.#write(this.#descriptor, `${JSON.stringify(line)}\n`);
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  /** The line of a process that was killed while it wrote must not be joined to ours. */
  #isTorn(descriptor: number): boolean {
    const last = Buffer.alloc(1);
    return this.#bytes > 0 && readSync(descriptor, last, 0, 1, this.#bytes - 1) === 1 && last[0] !== 0x0a;
  }

  #write(descriptor: number, text: string): void {
    let rest = Buffer.from(text);
    try {
      while (rest.length > 0) {
        const written = writeSync(descriptor, rest);
        this.#bytes += written;
        rest = rest.subarray(written);
      }
    } catch (error) {
      this.close(); // half a line may be there, and nothing may follow it
      throw new BiplaneError("INTERNAL", `Recording to ${this.#path} ended: ${messageOf(error)}`, { cause: error });
    }
  }
}
