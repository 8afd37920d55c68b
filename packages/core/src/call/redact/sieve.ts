/** Finds candidate positions of many strings quickly, with false positives but no false negatives. */
export interface Sieve {
  /** Visits candidates left to right until `visit` returns true. Returns whether it did. */
  some(text: string, visit: (start: number) => boolean): boolean;
  /** The length of the shortest word. */
  readonly shortest: number;
}

/** A match is certain to be found if this many characters follow its start. */
export const lookaheadLength = 11;

/**
 * Every word has at least eight characters, so it covers an aligned group of four characters (aligned to `stride`).
 * Only aligned groups are looked up, in a table of offsets from the start of a word. Groups are read as 32-bit numbers
 * from a Latin-1 copy of the text, which is four times faster than reading characters.
 */
export function createSieve(words: readonly string[]): Sieve {
  const shortest = words.reduce((min, word) => Math.min(min, word.length), Infinity);
  const stride = shortest >= lookaheadLength ? 8 : 4;
  const groups = new Uint8Array(tableSize(words.length * stride));
  const beginnings = new Uint8Array(tableSize(words.length));
  for (const word of words) {
    for (let offset = 0; offset < stride; offset++) {
      const slot = slotOf(groupAt(word, offset), groups);
      groups[slot] = (groups[slot] ?? 0) | (1 << offset);
    }
    beginnings[slotOf(beginningAt(word, 0), beginnings)] = 1;
  }

  /** Bit n of `offsets`: a word may start n characters before the group. */
  function visitBeginnings(text: string, group: number, offsets: number, visit: (start: number) => boolean): boolean {
    for (let left = offsets; left !== 0; left &= ~(1 << (31 - Math.clz32(left)))) {
      const start = group - (31 - Math.clz32(left));
      if (start < 0 || start + 8 > text.length) continue;
      if (beginnings[slotOf(beginningAt(text, start), beginnings)] === 1 && visit(start)) return true;
    }
    return false;
  }

  function someShort(text: string, visit: (start: number) => boolean): boolean {
    for (let at = 0; at + 4 <= text.length; at += stride) {
      const offsets = groups[slotOf(groupAt(text, at), groups)] as number;
      if (offsets !== 0 && visitBeginnings(text, at, offsets, visit)) return true;
    }
    return false;
  }

  function someInPart(text: string, from: number, visit: (start: number) => boolean): boolean {
    const part = from === 0 && text.length <= partLength ? text : text.slice(from, from + partLength);
    bytes.write(part, "latin1");
    // Locals are faster: the engine reloads captured variables in every iteration.
    const [table, step, end] = [groups, stride >> 2, part.length >> 2];
    for (let index = 0; index < end; index += step) {
      const offsets = table[slotOf((numbers[index] as number) | caseBits, table)] as number;
      if (offsets !== 0 && visitBeginnings(text, from + index * 4, offsets, visit)) return true;
    }
    return false;
  }

  return {
    shortest,
    some(text, visit) {
      if (text.length < 48) return someShort(text, visit);
      for (let from = 0; from < text.length; from += partLength) if (someInPart(text, from, visit)) return true;
      return false;
    },
  };
}

/** One buffer for all sieves: visitors are synchronous and never use a sieve themselves. */
const partLength = 65_536;
const bytes = Buffer.alloc(partLength);
const numbers = new Int32Array(bytes.buffer, bytes.byteOffset, partLength / 4);

/** Sets the lower-case bit, so the sieve ignores case. */
const caseBits = 0x20202020;

function groupAt(text: string, at: number): number {
  return (
    (text.charCodeAt(at) & 255) |
    ((text.charCodeAt(at + 1) & 255) << 8) |
    ((text.charCodeAt(at + 2) & 255) << 16) |
    ((text.charCodeAt(at + 3) & 255) << 24) |
    caseBits
  );
}

function beginningAt(text: string, at: number): number {
  return Math.imul(groupAt(text, at), 0x85ebca6b) ^ groupAt(text, at + 4);
}

function slotOf(number: number, table: Uint8Array): number {
  return (Math.imul(number, 0x9e3779b1) >>> 12) & (table.length - 1);
}

/** A power of two from 4 kB to 1 MB, sparsely filled. */
function tableSize(entries: number): number {
  return 2 ** Math.min(20, Math.max(12, Math.ceil(Math.log2(entries * 16))));
}
