import { codePoints, encodeCodePoint, isAscii } from "../utf8.ts";

export function lower(text: string): string {
  return isAscii(text) ? text.toLowerCase() : mapCharacters(text, lowerOf);
}

export function upper(text: string): string {
  return isAscii(text) ? text.toUpperCase() : mapCharacters(text, upperOf);
}

/** The first character as a title, the rest in lower case. */
export function capitalize(text: string): string {
  return mapCharacters(text, (codePoint, index) => (index === 0 ? titleOf(codePoint) : lowerOf(codePoint)));
}

/** Each run of cased letters starts with title case and continues in lower case. */
export function title(text: string): string {
  let isInWord = false;
  return mapCharacters(text, (codePoint) => {
    const mapped = isInWord ? lowerOf(codePoint) : titleOf(codePoint);
    isInWord = isCased(codePoint);
    return mapped;
  });
}

export function isLower(text: string): boolean {
  return hasCase(text) && lower(text) === text;
}

export function isUpper(text: string): boolean {
  return hasCase(text) && upper(text) === text;
}

/** Upper case only where no cased character precedes, lower case only where one does. */
export function isTitle(text: string): boolean {
  let hasCased = false;
  let followsCased = false;
  for (const codePoint of codePoints(text)) {
    if ((codePoint >= 0x41 && codePoint <= 0x5a) || matches(/\p{Lt}/u, codePoint)) {
      if (followsCased) return false;
      followsCased = true;
      hasCased = true;
    } else if (matches(/\p{Lowercase}/u, codePoint)) {
      if (!followsCased) return false;
      hasCased = true;
    } else if (matches(/\p{Uppercase}/u, codePoint)) return false;
    else followsCased = false;
  }
  return hasCased;
}

/** White space in Unicode, which differs from JavaScript's `\s`. */
export const space = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

function mapCharacters(text: string, map: (codePoint: number, index: number) => number): string {
  const parts: string[] = [];
  let index = 0;
  for (const codePoint of codePoints(text)) parts.push(encodeCodePoint(map(codePoint, index++)));
  return parts.join("");
}

/** Starlark maps single characters, so mappings that would lengthen the text are skipped. */
function upperOf(codePoint: number): number {
  if (codePoint < 0x80) return codePoint >= 0x61 && codePoint <= 0x7a ? codePoint - 32 : codePoint;
  const withIota = upperWithIota(codePoint);
  if (withIota !== undefined) return withIota;
  return single(String.fromCodePoint(codePoint).toUpperCase()) ?? codePoint;
}

/** Greek letters with iota subscript have a single capital; full case conversion would write two letters. */
function upperWithIota(codePoint: number): number | undefined {
  if (codePoint >= 0x1f80 && codePoint <= 0x1faf) return codePoint | 8;
  return codePoint === 0x1fb3 || codePoint === 0x1fc3 || codePoint === 0x1ff3 ? codePoint + 9 : undefined;
}

function lowerOf(codePoint: number): number {
  if (codePoint < 0x80) return codePoint >= 0x41 && codePoint <= 0x5a ? codePoint + 32 : codePoint;
  if (codePoint === 0x130) return 0x69;
  return single(String.fromCodePoint(codePoint).toLowerCase()) ?? codePoint;
}

function titleOf(codePoint: number): number {
  const digraph = digraphs.find((forms) => forms.includes(codePoint));
  if (digraph) return digraph[1];
  const isGeorgian = codePoint >= 0x10d0 && codePoint <= 0x10ff;
  return isGeorgian ? codePoint : upperOf(codePoint);
}

/** Upper, title and lower case of digraph letters. */
const digraphs: readonly (readonly [number, number, number])[] = [
  [0x1c4, 0x1c5, 0x1c6],
  [0x1c7, 0x1c8, 0x1c9],
  [0x1ca, 0x1cb, 0x1cc],
  [0x1f1, 0x1f2, 0x1f3],
];

function single(text: string): number | undefined {
  const codePoint = text.codePointAt(0);
  return codePoint !== undefined && String.fromCodePoint(codePoint) === text ? codePoint : undefined;
}

function hasCase(text: string): boolean {
  return codePoints(text).some(isCased);
}

function isCased(codePoint: number): boolean {
  // ẞ exists, but upper-case conversion of ß does not use it.
  return upperOf(codePoint) !== codePoint || lowerOf(codePoint) !== codePoint || codePoint === 0xdf;
}

/** A test for texts with at least one character, all of which match. */
export function everyCharacter(pattern: RegExp): (text: string) => boolean {
  return (text) => text !== "" && codePoints(text).every((codePoint) => matches(pattern, codePoint));
}

function matches(pattern: RegExp, codePoint: number): boolean {
  return pattern.test(String.fromCodePoint(codePoint));
}
