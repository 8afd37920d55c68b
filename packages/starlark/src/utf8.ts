/**
 * Starlark strings are byte sequences. Inside the interpreter each one is a JavaScript string whose characters
 * are the bytes of its UTF-8 encoding (0 to 255), so that length, index, slice and comparison are the native ones.
 * ASCII text is the same in both forms.
 */
export function encodeUtf8(text: string): string {
  return isAscii(text) ? text : Buffer.from(text).toString("latin1");
}

/** Turns the bytes of a Starlark string back into text; bytes that are not UTF-8 become U+FFFD. */
export function decodeUtf8(bytes: string): string {
  if (isAscii(bytes)) return bytes;
  const parts: string[] = [];
  for (let index = 0; index < bytes.length;) {
    const start = index;
    while (index < bytes.length && bytes.charCodeAt(index) < 0x80) index++;
    if (index > start) parts.push(bytes.slice(start, index));
    if (index >= bytes.length) break;
    const decoded = decodeAt(bytes, index);
    parts.push(String.fromCodePoint(decoded.codePoint));
    index += decoded.size;
  }
  return parts.join("");
}

/** The code point that begins at a byte; an invalid byte counts as one U+FFFD of size 1. */
export function decodeAt(bytes: string, index: number): { codePoint: number; size: number; valid: boolean } {
  const first = bytes.charCodeAt(index);
  if (first < 0x80) return { codePoint: first, size: 1, valid: true };
  const size = sequenceLength(first);
  if (size === 0 || index + size > bytes.length) return invalidByte;
  let codePoint = first & (0xff >> (size + 1));
  for (let offset = 1; offset < size; offset++) {
    const next = bytes.charCodeAt(index + offset);
    if ((next & 0xc0) !== 0x80) return invalidByte;
    codePoint = (codePoint << 6) | (next & 0x3f);
  }
  const valid = codePoint >= (smallest[size] ?? 0) && codePoint <= 0x10ffff && !isSurrogate(codePoint);
  return valid ? { codePoint, size, valid } : invalidByte;
}

/** The UTF-8 bytes of one code point; a surrogate, which UTF-8 does not allow, is encoded as U+FFFD. */
export function encodeCodePoint(codePoint: number): string {
  if (codePoint < 0x80) return String.fromCharCode(codePoint);
  if (isSurrogate(codePoint)) return replacement;
  if (codePoint < 0x800) return String.fromCharCode(0xc0 | (codePoint >> 6), 0x80 | (codePoint & 0x3f));
  const low = [0x80 | ((codePoint >> 6) & 0x3f), 0x80 | (codePoint & 0x3f)];
  if (codePoint < 0x10000) return String.fromCharCode(0xe0 | (codePoint >> 12), ...low);
  return String.fromCharCode(0xf0 | (codePoint >> 18), 0x80 | ((codePoint >> 12) & 0x3f), ...low);
}

/** The code points of a Starlark string, in order. */
export function codePoints(bytes: string): number[] {
  const result: number[] = [];
  for (let index = 0; index < bytes.length;) {
    const { codePoint, size } = decodeAt(bytes, index);
    result.push(codePoint);
    index += size;
  }
  return result;
}

export function countCodePoints(bytes: string): number {
  let count = 0;
  for (let index = 0; index < bytes.length; index += decodeAt(bytes, index).size) count++;
  return count;
}

export function isAscii(text: string): boolean {
  if (text.length > 32) return !beyondAscii.test(text);
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x7f) return false;
  return true;
}

const beyondAscii = /[^\0-\x7f]/;
const replacement = "\xef\xbf\xbd";
const invalidByte = { codePoint: 0xfffd, size: 1, valid: false };
/** The smallest code point that needs a sequence of this length: a longer encoding of it is invalid. */
const smallest = [0, 0, 0x80, 0x800, 0x10000];

function sequenceLength(first: number): number {
  if (first < 0xc2) return 0;
  if (first < 0xe0) return 2;
  if (first < 0xf0) return 3;
  return first < 0xf5 ? 4 : 0;
}

function isSurrogate(codePoint: number): boolean {
  return codePoint >= 0xd800 && codePoint <= 0xdfff;
}
