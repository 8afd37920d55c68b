import { encodeCodePoint, encodeUtf8 } from "../utf8.ts";
import { Bytes } from "../values/bytes.ts";
import { escapeLetters } from "../values/quote.ts";
import type { Source } from "./source.ts";

/** Reads a string or bytes literal that begins, with its prefix, at an offset. */
export function scanString(source: Source, start: number): { value: string | Bytes; end: number } {
  const { text } = source;
  let index = start;
  const isRaw = text[index] === "r";
  if (isRaw) index++;
  const isBytes = text[index] === "b";
  if (isBytes) index++;
  const quote = text[index] ?? "";
  const isTriple = text.startsWith(quote.repeat(3), index);
  const delimiter = isTriple ? quote.repeat(3) : quote;
  const bodyStart = index + delimiter.length;
  const bodyEnd = findEnd(source, { start, bodyStart, delimiter });
  const body = text.slice(bodyStart, bodyEnd);
  const unescaped = isRaw ? encodeUtf8(body) : unescape(body, { source, start, isBytes });
  return { value: isBytes ? new Bytes(unescaped) : unescaped, end: bodyEnd + delimiter.length };
}

function findEnd(source: Source, literal: { start: number; bodyStart: number; delimiter: string }): number {
  const { text } = source;
  const { delimiter } = literal;
  for (let index = literal.bodyStart; index < text.length; index++) {
    const character = text[index];
    if (character === "\\") index++;
    else if (character === delimiter[0] && text.startsWith(delimiter, index)) return index;
    else if (character === "\n" && delimiter.length === 1) {
      throw source.error(literal.start, "unexpected newline in string");
    }
  }
  throw source.error(literal.start, "unexpected EOF in string");
}

interface EscapeContext {
  readonly source: Source;
  readonly start: number;
  readonly isBytes: boolean;
}

function unescape(body: string, context: EscapeContext): string {
  if (!body.includes("\\")) return encodeUtf8(body);
  const parts: string[] = [];
  let index = 0;
  for (;;) {
    const backslash = body.indexOf("\\", index);
    if (backslash < 0) break;
    parts.push(encodeUtf8(body.slice(index, backslash)));
    const escape = readEscape(body, backslash, context);
    parts.push(escape.bytes);
    index = escape.end;
  }
  parts.push(encodeUtf8(body.slice(index)));
  return parts.join("");
}

function readEscape(body: string, backslash: number, context: EscapeContext): { bytes: string; end: number } {
  const letter = body[backslash + 1] ?? "";
  const simple = simpleEscapes.get(letter);
  if (simple !== undefined) return { bytes: simple, end: backslash + 2 };
  if (letter >= "0" && letter <= "7" && letter !== "") return readOctal(body, backslash, context);
  if (letter === "x") return readHex(body, backslash, context);
  if (letter === "u") return readUnicode(body, backslash, { ...context, width: 4 });
  if (letter === "U") return readUnicode(body, backslash, { ...context, width: 8 });
  const character = String.fromCodePoint(body.codePointAt(backslash + 1) ?? 0);
  throw context.source.error(context.start, `invalid escape sequence \\${character}`);
}

const simpleEscapes: ReadonlyMap<string, string> = new Map([
  ...Array.from(escapeLetters, ([character, letter]) => [letter, character] as const),
  ["'", "'"],
  ["\n", ""],
]);

function readOctal(body: string, backslash: number, context: EscapeContext): { bytes: string; end: number } {
  const digits = /^[0-7]{1,3}/.exec(body.slice(backslash + 1, backslash + 4))?.[0] ?? "";
  const value = Number.parseInt(digits, 8);
  const end = backslash + 1 + digits.length;
  if (!context.isBytes && value > 0x7f) throw refuseNonAscii("octal", `\\${digits}`, value, context);
  if (value > 0xff) throw context.source.error(context.start, `invalid escape sequence \\${digits}`);
  return { bytes: String.fromCharCode(value), end };
}

function readHex(body: string, backslash: number, context: EscapeContext): { bytes: string; end: number } {
  const sequence = body.slice(backslash, backslash + 4);
  if (sequence.length < 4) throw context.source.error(context.start, `truncated escape sequence ${sequence}`);
  if (!/^\\x[0-9a-fA-F]{2}$/.test(sequence)) {
    throw context.source.error(context.start, `invalid escape sequence ${sequence}`);
  }
  const value = Number.parseInt(sequence.slice(2), 16);
  if (!context.isBytes && value > 0x7f) throw refuseNonAscii("hex", sequence, value, context);
  return { bytes: String.fromCharCode(value), end: backslash + 4 };
}

function refuseNonAscii(base: string, sequence: string, value: number, context: EscapeContext): Error {
  const code = value.toString(16).toUpperCase().padStart(4, "0");
  return context.source.error(
    context.start,
    `non-ASCII ${base} escape ${sequence} (use \\u${code} for the UTF-8 encoding of U+${code})`,
  );
}

function readUnicode(
  body: string,
  backslash: number,
  context: EscapeContext & { width: number },
): { bytes: string; end: number } {
  const end = backslash + 2 + context.width;
  const sequence = body.slice(backslash, end);
  const fail = (reason: string): Error => context.source.error(context.start, reason);
  if (sequence.length < context.width + 2) throw fail(`truncated escape sequence ${sequence}`);
  if (!/^\\[uU][0-9a-fA-F]+$/.test(sequence)) throw fail(`invalid escape sequence ${sequence}`);
  const value = Number.parseInt(sequence.slice(2), 16);
  if (value > 0x10ffff) throw fail(`code point out of range: ${sequence} (max \\U0010ffff)`);
  if (value >= 0xd800 && value <= 0xdfff) {
    throw fail(`invalid Unicode code point U+${value.toString(16).toUpperCase().padStart(4, "0")}`);
  }
  return { bytes: encodeCodePoint(value), end };
}
