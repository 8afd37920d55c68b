import type { AuditEntry } from "../../call/audit.ts";
import { writeCall, writeGap } from "./write-line.ts";

/**
 * What waits to be kept: entries as they came, then as text. Entries may hold a lot, so when many wait, or for long, they
 * are turned into text, whose size is known and bounded.
 */
export class Backlog {
  readonly #maxEntries: number;
  readonly #onFault: (fault: unknown) => void;
  #fresh: (AuditEntry | Gap)[] = [];
  #written: string[] = [];
  /** The characters in `#written`. */
  #size = 0;

  constructor(maxEntries: number, onFault: (fault: unknown) => void) {
    this.#maxEntries = maxEntries;
    this.#onFault = onFault;
  }

  get length(): number {
    return this.#fresh.length + this.#written.length;
  }

  get isFull(): boolean {
    return this.length >= this.#maxEntries || this.#size > maxCharacters;
  }

  get hasFresh(): boolean {
    return this.#fresh.length > 0;
  }

  push(entry: AuditEntry | Gap): void {
    this.#fresh.push(entry);
    if (this.#fresh.length > maxFresh) this.writeSome(100);
  }

  /** The oldest lines: at most so many, and not many more characters than one commit should have. */
  first(maxLines: number): readonly string[] {
    if (this.#written.length === 0) this.writeSome(maxLines);
    let count = 0;
    let size = 0;
    while (count < maxLines && count < this.#written.length && size < maxCommitCharacters) {
      size += this.#written[count++]?.length ?? 0;
    }
    return this.#written.slice(0, count);
  }

  /** Forgets the oldest lines, which are kept elsewhere now. */
  remove(count: number): void {
    for (const line of this.#written.splice(0, count)) this.#size -= line.length;
  }

  /** Turns as many of the oldest entries into text as make one commit. */
  writeSome(maxLines: number): void {
    const full = this.#size + maxCommitCharacters;
    let count = 0;
    for (const entry of this.#fresh) {
      if (count === maxLines || this.#size >= full) break;
      count++;
      const line = this.#write(entry);
      this.#written.push(line);
      this.#size += line.length;
    }
    this.#fresh.splice(0, count);
  }

  #write(entry: AuditEntry | Gap): string {
    try {
      return "lost" in entry ? writeGap(entry.lost, entry.time) : writeCall(entry);
    } catch (error) {
      this.#onFault(error);
      return writeGap(1, Date.now());
    }
  }
}

/** Entries that found no room. */
export interface Gap {
  readonly lost: number;
  readonly time: number;
}

/** More than come in one round, so that what is in time is written between calls and not during them. */
const maxFresh = 5000;
/** A few milliseconds of hashing, inserting and syncing. */
const maxCommitCharacters = 128 * 1024;
const maxCharacters = 64 * 1024 * 1024;
