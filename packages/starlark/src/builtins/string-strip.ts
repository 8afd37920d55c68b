import { codePoints, decodeAt } from "../utf8.ts";
import { space } from "./string-case.ts";

/** Cuts the characters of a set, or white space, from the beginning. */
export function stripLeft(text: string, cutset: string | undefined): string {
  const isCut = cutter(cutset);
  let start = 0;
  while (start < text.length) {
    const { codePoint, size, valid } = decodeAt(text, start);
    if (!valid || !isCut(codePoint)) break;
    start += size;
  }
  return text.slice(start);
}

/** Cuts the characters of a set, or white space, from the end. */
export function stripRight(text: string, cutset: string | undefined): string {
  const isCut = cutter(cutset);
  let end = text.length;
  while (end > 0) {
    const start = lastCharacter(text, end);
    const { codePoint, size, valid } = decodeAt(text, start);
    if (!valid || start + size !== end || !isCut(codePoint)) break;
    end = start;
  }
  return text.slice(0, end);
}

function cutter(cutset: string | undefined): (codePoint: number) => boolean {
  if (cutset === undefined) return (codePoint) => space.test(String.fromCodePoint(codePoint));
  const cut = new Set(codePoints(cutset));
  return (codePoint) => cut.has(codePoint);
}

/** Start of the character that ends at an offset. */
function lastCharacter(text: string, end: number): number {
  let start = end - 1;
  while (start > 0 && end - start < 4 && (text.charCodeAt(start) & 0xc0) === 0x80) start--;
  return start;
}
