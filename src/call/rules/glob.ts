/**
 * A test of whole texts against a glob: `*` is any run of characters, `?` is one, everything else is itself. It reads
 * each character once, whatever glob and text are: all places in the glob that the text may have come to are bits.
 */
export function compileGlob(glob: string): (text: string) => boolean {
  if (!/[*?]/.test(glob)) return (text) => text === glob;
  const literal = /^[^*?]*/.exec(glob)?.[0] ?? "";
  if (glob === `${literal}*`) return (text) => text.startsWith(literal);
  const { signs, loops } = read(glob);
  const words = (signs.length >>> 5) + 1;
  const stays = bits(words, (place) => loops.has(place));
  const passesOthers = bits(words, (place) => signs[place] === "?");
  const passes = new Map(
    signs.map((sign) => [sign, bits(words, (place) => signs[place] === "?" || signs[place] === sign)]),
  );
  const isAt = new Uint32Array(words);
  return (text) => {
    if (!text.startsWith(literal)) return false;
    isAt.fill(0);
    isAt[0] = 1;
    for (const character of text) if (!advance(isAt, passes.get(character) ?? passesOthers, stays)) return false;
    return (at(isAt, signs.length >>> 5) & (1 << (signs.length & 31))) !== 0;
  };
}

/** A longer one is a mistake, and each 32 characters of it cost every character of a text. */
export const longestGlob = 256;

/** The glob's characters without its stars, and the places between them where a star lets a text stay. */
function read(glob: string): { signs: string[]; loops: Set<number> } {
  const signs: string[] = [];
  const loops = new Set<number>();
  for (const sign of glob) {
    if (sign === "*") loops.add(signs.length);
    else signs.push(sign);
  }
  return { signs, loops };
}

function bits(words: number, isSet: (place: number) => boolean): Uint32Array {
  const set = new Uint32Array(words);
  for (let place = 0; place < words * 32; place++) {
    if (isSet(place)) set[place >>> 5] = at(set, place >>> 5) | (1 << (place & 31));
  }
  return set;
}

/** Reads one character; false where no place is left to go on from. */
function advance(isAt: Uint32Array, passes: Uint32Array, stays: Uint32Array): boolean {
  let carry = 0;
  let left = 0;
  for (let word = 0; word < isAt.length; word++) {
    const passed = at(isAt, word) & at(passes, word);
    const now = (passed << 1) | carry | (at(isAt, word) & at(stays, word));
    isAt[word] = now;
    left |= now;
    carry = passed >>> 31;
  }
  return left !== 0;
}

function at(words: Uint32Array, word: number): number {
  return words[word] ?? 0;
}
