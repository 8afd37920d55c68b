import type { AuditEntry } from "@biplane/core/internal";
import { formatCallLine, formatGapLine } from "./write-line.ts";

/**
 * Entries that wait to be written. When many wait, or for long, they are serialized: entries may hold large objects,
 * and text has a known size.
 */
export class Backlog {
  readonly #maxEntries: number;
  readonly #onFault: (fault: unknown) => void;
  #fresh: (AuditEntry | LostEntries)[] = [];
  #written: string[] = [];
  /** Total characters in `#written`. */
  #size = 0;

  constructor(maxEntries: number, onFault: (fault: unknown) => void) {
    this.#maxEntries = maxEntries;
    this.#onFault = onFault;
  }

  get length(): number {
    return this.#fresh.length + this.#written.length;
  }

  get isFull(): boolean {
    return this.length >= this.#maxEntries || this.#size > maxBacklogCharacters;
  }

  get hasFresh(): boolean {
    return this.#fresh.length > 0;
  }

  push(entry: AuditEntry | LostEntries): void {
    this.#fresh.push(entry);
    if (this.#fresh.length > maxFresh) this.writeSome(100);
  }

  /** The oldest lines, limited by count and by the size of one commit. */
  first(maxLines: number): readonly string[] {
    if (this.#written.length === 0) this.writeSome(maxLines);
    let count = 0;
    let size = 0;
    while (count < maxLines && count < this.#written.length && size < maxCommitCharacters) {
      size += this.#written[count++]?.length ?? 0;
    }
    return this.#written.slice(0, count);
  }

  /** Drops the oldest lines after they are stored. */
  remove(count: number): void {
    for (const line of this.#written.splice(0, count)) this.#size -= line.length;
  }

  /** Serializes the oldest entries, up to the size of one commit. */
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

  #write(entry: AuditEntry | LostEntries): string {
    try {
      return "lost" in entry ? formatGapLine(entry.lost, entry.time) : formatCallLine(entry);
    } catch (error) {
      this.#onFault(error);
      return formatGapLine(1, Date.now());
    }
  }
}

/** Marks entries that were dropped because the backlog was full. */
export interface LostEntries {
  readonly lost: number;
  readonly time: number;
}

/** More than one event-loop turn produces, so that serializing normally happens between calls. */
const maxFresh = 5000;
/** About a few milliseconds of hashing, inserting and syncing. */
const maxCommitCharacters = 128 * 1024;
export const maxBacklogCharacters = 64 * 1024 * 1024;
