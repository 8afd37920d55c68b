import fc from "fast-check";

/** Code points below, of and above the surrogates, which are no characters. */
const [first, count, last] = [0xd800, 0x800, 0x10ffff];

/**
 * Any character, as `unit: "binary"` of fast-check makes it, which lists all 1,112,064 of them in memory before the
 * first: `fc.string({ unit: anyCharacter })`.
 */
export const anyCharacter: fc.Arbitrary<string> = fc.nat({ max: last - count }).map(
  (at) => String.fromCodePoint(at < first ? at : at + count),
  (text) => {
    const point = typeof text === "string" ? text.codePointAt(0) : undefined;
    if (point === undefined || String.fromCodePoint(point) !== text || (point >= first && point < first + count))
      throw new Error("This is not one character.");
    return point < first ? point : point - count;
  },
);
