/** A range of memory that `diffPages` ignores. */
export interface SkippedRange {
  readonly start: number;
  readonly end: number;
}

/** Bytes that threads share. A state of many megabytes is never copied for a message, which would hold its thread. */
export function sharedBytes(length: number): Uint8Array {
  return new Uint8Array(new SharedArrayBuffer(length));
}

/** The parts, one after the other, as shared bytes. */
export function sharedCopy(...parts: readonly Uint8Array[]): Uint8Array {
  const copy = sharedBytes(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    copy.set(part, at);
    at += part.length;
  }
  return copy;
}

/** Encodes the pages that differ from a base, as shared bytes. Beyond its end, the base counts as zeros. */
export function diffPages(memory: Uint8Array, base: Uint8Array, skipped: SkippedRange = nothingSkipped): Uint8Array {
  const here = asBuffer(memory);
  const changed = changedPages(here, asBuffer(base), skipped);
  const pages = asBuffer(sharedBytes(headerBytes + changed.length * (4 + pageBytes)));
  pages.writeUInt32LE(here.length, 0);
  pages.writeUInt32LE(changed.length, 4);
  const from = headerBytes + changed.length * 4;
  for (let at = 0; at < changed.length;) {
    // Copy adjacent pages together.
    const first = changed[at] ?? 0;
    let count = 0;
    for (; changed[at + count] === first + count; count++)
      pages.writeUInt32LE(first + count, headerBytes + (at + count) * 4);
    pages.set(here.subarray(first * pageBytes, (first + count) * pageBytes), from + at * pageBytes);
    at += count;
  }
  return pages;
}

/** The length of the memory that the pages came from. */
export function memoryLength(pages: Uint8Array): number {
  checkPages(pages);
  return asBuffer(pages).readUInt32LE(0);
}

/** Applies the pages to memory that contains the base. */
export function applyPages(pages: Uint8Array, memory: Uint8Array): void {
  const count = checkPages(pages);
  const buffer = asBuffer(pages);
  for (let at = 0; at < count; at++) {
    const from = headerBytes + count * 4 + at * pageBytes;
    memory.set(buffer.subarray(from, from + pageBytes), buffer.readUInt32LE(headerBytes + at * 4) * pageBytes);
  }
}

/** Smaller than a WebAssembly page, so that snapshots are smaller. */
const pageBytes = 4096;
const blockBytes = 65_536;
const headerBytes = 8;
const zeros = Buffer.alloc(blockBytes);
const nothingSkipped: SkippedRange = { start: 0, end: 0 };

/** Compares whole blocks first, because most of them are unchanged. */
function changedPages(here: Buffer, there: Buffer, skipped: SkippedRange): number[] {
  const changed: number[] = [];
  const isSame = (start: number, end: number): boolean =>
    end <= there.length
      ? here.compare(there, start, end, start, end) === 0
      : here.compare(zeros, 0, end - start, start, end) === 0;
  for (let block = 0; block < here.length; block += blockBytes) {
    const blockEnd = Math.min(block + blockBytes, here.length);
    const isWhole = blockEnd <= there.length || block >= there.length;
    if ((block >= skipped.start && blockEnd <= skipped.end) || (isWhole && isSame(block, blockEnd))) continue;
    for (let page = block; page < blockEnd; page += pageBytes) {
      if (page >= skipped.start && page < skipped.end) continue;
      if (!isSame(page, page + pageBytes)) changed.push(page / pageBytes);
    }
  }
  return changed;
}

function checkPages(pages: Uint8Array): number {
  const count = pages.length < headerBytes ? -1 : asBuffer(pages).readUInt32LE(4);
  if (pages.length !== headerBytes + count * (4 + pageBytes))
    throw new RangeError("it is truncated or not a memory image");
  return count;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
