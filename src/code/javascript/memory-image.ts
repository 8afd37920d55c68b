/** Memory as the pages that differ from a base; what lies beyond the base counts as zeros there. */
export function diffPages(memory: Uint8Array, base: Uint8Array): Uint8Array {
  const here = view(memory);
  const changed = changedPages(here, view(base));
  const image = Buffer.allocUnsafeSlow(8 + changed.length * (4 + pageBytes));
  image.writeUInt32LE(here.length, 0);
  image.writeUInt32LE(changed.length, 4);
  const from = 8 + changed.length * 4;
  for (let at = 0; at < changed.length;) {
    // Pages that follow each other are copied together.
    const first = changed[at] ?? 0;
    let count = 0;
    for (; changed[at + count] === first + count; count++) image.writeUInt32LE(first + count, 8 + (at + count) * 4);
    image.set(here.subarray(first * pageBytes, (first + count) * pageBytes), from + at * pageBytes);
    at += count;
  }
  return image;
}

/** How long the memory is that an image was made of. */
export function memoryLength(image: Uint8Array): number {
  return view(image).readUInt32LE(0);
}

/** Puts the pages of an image over memory that holds the base. */
export function applyPages(image: Uint8Array, memory: Uint8Array): void {
  const pages = view(image);
  const count = pages.length < 8 ? -1 : pages.readUInt32LE(4);
  if (count < 0 || pages.length !== 8 + count * (4 + pageBytes)) throw new RangeError("it is cut or no image at all");
  for (let at = 0; at < count; at++) {
    const start = pages.readUInt32LE(8 + at * 4) * pageBytes;
    const from = 8 + count * 4 + at * pageBytes;
    memory.set(pages.subarray(from, from + pageBytes), start);
  }
}

/** Smaller pages than WebAssembly's own make smaller images. */
const pageBytes = 4096;
const blockBytes = 65_536;
const zeros = Buffer.alloc(blockBytes);

/** Most blocks are as they were, so that only few need a closer look. */
function changedPages(here: Buffer, there: Buffer): number[] {
  const changed: number[] = [];
  const isSame = (start: number, end: number): boolean =>
    end <= there.length
      ? here.compare(there, start, end, start, end) === 0
      : here.compare(zeros, 0, end - start, start, end) === 0;
  for (let block = 0; block < here.length; block += blockBytes) {
    const blockEnd = Math.min(block + blockBytes, here.length);
    if (isSame(block, blockEnd)) continue;
    for (let page = block; page < blockEnd; page += pageBytes) {
      if (!isSame(page, page + pageBytes)) changed.push(page / pageBytes);
    }
  }
  return changed;
}

function view(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
