import type { AuditEntry } from "@biplane/core/internal";
import type { AppendAttempt } from "../../store/audit-log.ts";
import { formatCallLine, formatGapLine } from "./write-line.ts";

export interface BacklogOptions {
  readonly maxLines: number;
  /** Maximum lines of a group. */
  readonly maxGroup: number;
  /** Called for each entry that cannot be read. */
  onFault(fault: unknown): void;
}

/**
 * Lines that wait to be written, in groups of one commit each. They are kept as bytes: objects and strings that live for
 * some milliseconds cost the garbage collector more than it takes to write them.
 */
export class Backlog {
  readonly #options: BacklogOptions;
  readonly #groups: Group[] = [];
  /** Memory of a written group, for the next one. */
  #spare: Buffer | undefined;
  #lines = 0;
  #bytes = 0;

  constructor(options: BacklogOptions) {
    this.#options = options;
  }

  /** Lines that wait. */
  get length(): number {
    return this.#lines;
  }

  get isFull(): boolean {
    return this.#lines >= this.#options.maxLines || this.#bytes > maxBacklogBytes;
  }

  push(entry: AuditEntry | LostEntries): void {
    const line = this.#format(entry);
    const added = this.#groupFor(line).add(line);
    this.#lines++;
    this.#bytes += added;
  }

  /** The oldest lines. No more are added to them. */
  first(): Group | undefined {
    const [group] = this.#groups;
    if (group) group.isClosed = true;
    return group;
  }

  /** Drops the oldest lines after they are stored. */
  removeFirst(): void {
    const group = this.#groups.shift();
    if (!group) return;
    this.#lines -= group.lines;
    this.#bytes -= group.size;
    // The next groups must not grow to the size of one long line.
    if (group.bytes.length === groupBytes) this.#spare = group.bytes;
  }

  #groupFor(line: string): Group {
    const last = this.#groups.at(-1);
    if (last && !last.isClosed && last.lines < this.#options.maxGroup && last.hasRoomFor(line)) return last;
    const spare = this.#spare && this.#spare.length >= sizeOf(line) ? this.#spare : undefined;
    if (spare) this.#spare = undefined;
    const group = new Group(spare ?? Buffer.allocUnsafeSlow(Math.max(groupBytes, sizeOf(line))));
    this.#groups.push(group);
    return group;
  }

  #format(entry: AuditEntry | LostEntries): string {
    try {
      return "lost" in entry ? formatGapLine(entry.lost, entry.time) : formatCallLine(entry);
    } catch (error) {
      this.#options.onFault(error);
      return formatGapLine(1, Date.now());
    }
  }
}

/** Lines of one commit, and what is known of the tries to write them. */
class Group {
  readonly bytes: Buffer;
  readonly attempt: AppendAttempt = {};
  size = 0;
  lines = 0;
  isClosed = false;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** The lines, separated by line breaks. */
  get text(): string {
    return this.bytes.toString("utf8", 0, this.size);
  }

  hasRoomFor(line: string): boolean {
    return this.size + sizeOf(line) <= this.bytes.length;
  }

  /** Returns the number of bytes that it took. */
  add(line: string): number {
    const before = this.size;
    if (this.lines++ > 0) this.bytes[this.size++] = lineBreak;
    this.size += this.bytes.write(line, this.size);
    return this.size - before;
  }
}

/** Marks entries that were dropped because the backlog was full. */
export interface LostEntries {
  readonly lost: number;
  readonly time: number;
}

const lineBreak = 0x0a;

/** The largest size of a line in UTF-8, with its line break. */
function sizeOf(line: string): number {
  return line.length * 3 + 1;
}

/** About a few milliseconds of hashing, inserting and syncing. */
const groupBytes = 128 * 1024;
export const maxBacklogBytes = 64 * 1024 * 1024;
