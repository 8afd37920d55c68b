import { decodeAt } from "../utf8.ts";

/** A string as a Starlark literal in double quotes; bytes that are not text are written as `\xNN`. */
export function quote(bytes: string): string {
  if (!needsEscape.test(bytes)) return `"${bytes}"`;
  const parts: string[] = ['"'];
  for (let index = 0; index < bytes.length;) {
    const { codePoint, size, valid } = decodeAt(bytes, index);
    const character = bytes.slice(index, index + size);
    parts.push(valid ? quoteCharacter(codePoint, character) : `\\x${hex(bytes.charCodeAt(index), 2)}`);
    index += size;
  }
  parts.push('"');
  return parts.join("");
}

const needsEscape = /[^ !#-[\]-~]/;

function quoteCharacter(codePoint: number, bytes: string): string {
  const letter = escapeLetters.get(bytes);
  if (letter !== undefined) return `\\${letter}`;
  if (printable.test(String.fromCodePoint(codePoint))) return bytes;
  if (codePoint < 0x80) return `\\x${hex(codePoint, 2)}`;
  return codePoint > 0xffff ? `\\U${hex(codePoint, 8)}` : `\\u${hex(codePoint, 4)}`;
}

/** What follows the backslash in the short escape of a character. */
export const escapeLetters: ReadonlyMap<string, string> = new Map([
  ["\x07", "a"],
  ["\b", "b"],
  ["\f", "f"],
  ["\n", "n"],
  ["\r", "r"],
  ["\t", "t"],
  ["\v", "v"],
  ["\\", "\\"],
  ['"', '"'],
]);

const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

function hex(value: number, width: number): string {
  return value.toString(16).padStart(width, "0");
}
