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
  const short = shortEscapes.get(codePoint);
  if (short !== undefined) return short;
  if (printable.test(String.fromCodePoint(codePoint))) return bytes;
  if (codePoint < 0x80) return `\\x${hex(codePoint, 2)}`;
  return codePoint > 0xffff ? `\\U${hex(codePoint, 8)}` : `\\u${hex(codePoint, 4)}`;
}

const shortEscapes: ReadonlyMap<number, string> = new Map([
  [0x07, "\\a"],
  [0x08, "\\b"],
  [0x09, "\\t"],
  [0x0a, "\\n"],
  [0x0b, "\\v"],
  [0x0c, "\\f"],
  [0x0d, "\\r"],
  [0x22, '\\"'],
  [0x5c, "\\\\"],
]);

const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

function hex(value: number, width: number): string {
  return value.toString(16).padStart(width, "0");
}
