/**
 * Compiles a glob over whole strings: `*` matches any run of characters, `?` matches one. It simulates all states at
 * once as a bit set, so the time is linear in the text for any glob.
 */
export function compileGlob(glob: string): (text: string) => boolean {
  if (!/[*?]/.test(glob)) return (text) => text === glob;
  const literal = /^[^*?]*/.exec(glob)?.[0] ?? "";
  if (glob === `${literal}*`) return (text) => text.startsWith(literal);
  const { signs, loops } = read(glob);
  const words = (signs.length >>> 5) + 1;
  const stays = bits(words, (position) => loops.has(position));
  const passesOthers = bits(words, (position) => signs[position] === "?");
  const passes = new Map(
    signs.map((sign) => [sign, bits(words, (position) => signs[position] === "?" || signs[position] === sign)]),
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

/** A longer glob is a mistake, and every 32 characters cost one more word per character of text. */
export const maxGlobLength = 256;

/** The glob's characters without stars, and the positions where a star allows any run. */
function read(glob: string): { signs: string[]; loops: Set<number> } {
  const signs: string[] = [];
  const loops = new Set<number>();
  for (const sign of glob) {
    if (sign === "*") loops.add(signs.length);
    else signs.push(sign);
  }
  return { signs, loops };
}

function bits(words: number, isSet: (position: number) => boolean): Uint32Array {
  const set = new Uint32Array(words);
  for (let position = 0; position < words * 32; position++) {
    if (isSet(position)) set[position >>> 5] = at(set, position >>> 5) | (1 << (position & 31));
  }
  return set;
}

/** Consumes one character; false if no state is left. */
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
