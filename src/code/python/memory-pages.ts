/** A part of memory that is not looked at. */
export interface Gap {
  readonly start: number;
  readonly end: number;
}

/** Memory as the pages that are not those of a base. What lies beyond the base counts as zeros there. */
export function diffPages(memory: Uint8Array, base: Uint8Array, gap: Gap): Uint8Array {
  const here = asBuffer(memory);
  const there = asBuffer(base);
  const changed: number[] = [];
  for (let start = 0; start < here.length; start += pageBytes) {
    if (start >= gap.start && start < gap.end) continue;
    const end = start + pageBytes;
    const order =
      end <= there.length ? here.compare(there, start, end, start, end) : here.compare(zeros, 0, pageBytes, start, end);
    if (order !== 0) changed.push(start / pageBytes);
  }
  const pages = Buffer.allocUnsafeSlow(headerBytes + changed.length * (4 + pageBytes));
  pages.writeUInt32LE(here.length, 0);
  pages.writeUInt32LE(changed.length, 4);
  for (const [at, page] of changed.entries()) {
    pages.writeUInt32LE(page, headerBytes + at * 4);
    here.copy(pages, headerBytes + changed.length * 4 + at * pageBytes, page * pageBytes, (page + 1) * pageBytes);
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
const headerBytes = 8;
const zeros = Buffer.alloc(pageBytes);

function checkPages(pages: Uint8Array): number {
  const count = pages.length < headerBytes ? -1 : asBuffer(pages).readUInt32LE(4);
  if (pages.length !== headerBytes + count * (4 + pageBytes)) throw new RangeError("the pages are cut");
  return count;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
