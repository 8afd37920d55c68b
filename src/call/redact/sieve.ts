/** Tells quickly where in a text one of many words may begin: it may be wrong with a yes, never with a no. */
export interface Sieve {
  /** Visits such places from left to right until the visitor answers true; whether one did. */
  some(text: string, visit: (start: number) => boolean): boolean;
}

/** With so many characters after it, no beginning of a word escapes a sieve. */
export const enoughToSee = 11;

/**
 * Every word has at least eight characters, so it covers at least one of the text's groups of four that begin at a
 * multiple of `stride`. Only those are looked up: whether any word has these four, and how far from its beginning.
 * The groups are read as numbers from a copy of the text's low bytes, four times faster than from the text.
 */
export function createSieve(words: readonly string[]): Sieve {
  const shortest = words.reduce((least, word) => Math.min(least, word.length), Infinity);
  const stride = shortest >= enoughToSee ? 8 : 4;
  const groups = new Uint8Array(roomFor(words.length * stride));
  const beginnings = new Uint8Array(roomFor(words.length));
  for (const word of words) {
    for (let offset = 0; offset < stride; offset++) {
      const slot = slotOf(groupAt(word, offset), groups);
      groups[slot] = (groups[slot] ?? 0) | (1 << offset);
    }
    beginnings[slotOf(beginningAt(word, 0), beginnings)] = 1;
  }

  /** `offsets` has a bit for each distance from the group back to where a word may begin. */
  function visitBeginnings(text: string, group: number, offsets: number, visit: (start: number) => boolean): boolean {
    for (let offset = stride - 1; offset >= 0; offset--) {
      const start = group - offset;
      if ((offsets & (1 << offset)) === 0 || start < 0 || start + 8 > text.length) continue;
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
    // Locals, because the engine reads the others again in each round.
    const [table, step, end] = [groups, stride >> 2, part.length >> 2];
    for (let index = 0; index < end; index += step) {
      const offsets = table[slotOf((numbers[index] as number) | caseBits, table)] as number;
      if (offsets !== 0 && visitBeginnings(text, from + index * 4, offsets, visit)) return true;
    }
    return false;
  }

  return {
    some(text, visit) {
      if (text.length < shortest) return false;
      if (text.length < 48) return someShort(text, visit);
      for (let from = 0; from < text.length; from += partLength) if (someInPart(text, from, visit)) return true;
      return false;
    },
  };
}

/** One for all sieves: no visitor waits, and none sieves another text. */
const partLength = 65_536;
const bytes = Buffer.alloc(partLength);
const numbers = new Int32Array(bytes.buffer, bytes.byteOffset, partLength / 4);

/** Upper and lower case are the same to the sieve. */
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

/** A power of two, from 4 kB to 1 MB, of which the entries take a small part. */
function roomFor(entries: number): number {
  return 2 ** Math.min(20, Math.max(12, Math.ceil(Math.log2(entries * 16))));
}
