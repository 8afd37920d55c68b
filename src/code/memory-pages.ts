/** A part of memory that is not looked at. */
export interface Gap {
  readonly start: number;
  readonly end: number;
}

/** Memory as the pages that differ from a base; what lies beyond the base counts as zeros there. */
export function diffPages(memory: Uint8Array, base: Uint8Array, gap: Gap = noGap): Uint8Array {
  const here = asBuffer(memory);
  const changed = changedPages(here, asBuffer(base), gap);
  const pages = Buffer.allocUnsafeSlow(headerBytes + changed.length * (4 + pageBytes));
  pages.writeUInt32LE(here.length, 0);
  pages.writeUInt32LE(changed.length, 4);
  const from = headerBytes + changed.length * 4;
  for (let at = 0; at < changed.length;) {
    // Pages that follow each other are copied together.
    const first = changed[at] ?? 0;
    let count = 0;
    for (; changed[at + count] === first + count; count++)
      pages.writeUInt32LE(first + count, headerBytes + (at + count) * 4);
    pages.set(here.subarray(first * pageBytes, (first + count) * pageBytes), from + at * pageBytes);
    at += count;
  }
  return pages;
}

/** How long the memory was that the pages were taken of. */
export function memoryLength(pages: Uint8Array): number {
  checkPages(pages);
  return asBuffer(pages).readUInt32LE(0);
}

/** Puts pages over memory that holds the base. */
export function applyPages(pages: Uint8Array, memory: Uint8Array): void {
  const count = checkPages(pages);
  const buffer = asBuffer(pages);
  for (let at = 0; at < count; at++) {
    const from = headerBytes + count * 4 + at * pageBytes;
    memory.set(buffer.subarray(from, from + pageBytes), buffer.readUInt32LE(headerBytes + at * 4) * pageBytes);
  }
}

/** Smaller than WebAssembly's own pages, so that less is kept. */
const pageBytes = 4096;
const blockBytes = 65_536;
const headerBytes = 8;
const zeros = Buffer.alloc(blockBytes);
const noGap: Gap = { start: 0, end: 0 };

/** Most blocks are as they were, so that only few need a closer look. */
function changedPages(here: Buffer, there: Buffer, gap: Gap): number[] {
  const changed: number[] = [];
  const isSame = (start: number, end: number): boolean =>
    end <= there.length
      ? here.compare(there, start, end, start, end) === 0
      : here.compare(zeros, 0, end - start, start, end) === 0;
  for (let block = 0; block < here.length; block += blockBytes) {
    const blockEnd = Math.min(block + blockBytes, here.length);
    const isWhole = blockEnd <= there.length || block >= there.length;
    if ((block >= gap.start && blockEnd <= gap.end) || (isWhole && isSame(block, blockEnd))) continue;
    for (let page = block; page < blockEnd; page += pageBytes) {
      if (page >= gap.start && page < gap.end) continue;
      if (!isSame(page, page + pageBytes)) changed.push(page / pageBytes);
    }
  }
  return changed;
}

function checkPages(pages: Uint8Array): number {
  const count = pages.length < headerBytes ? -1 : asBuffer(pages).readUInt32LE(4);
  if (pages.length !== headerBytes + count * (4 + pageBytes)) throw new RangeError("it is cut or no memory at all");
  return count;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
