export interface DecodedText {
  readonly text: string;
  /** Where the characters at the wanted positions begin in the source, by position. */
  readonly sources: ReadonlyMap<number, number>;
}

/**
 * Decodes `%73`, `\u0073`, `\x73`, `&#115;` and `&#x73;`, wherever they are. Reads one character after the other without
 * regular expressions, because agents can send megabytes of escapes. `wanted` are positions in the decoded text, in
 * ascending order.
 */
export function decodeEscapes(source: string, wanted: readonly number[] = []): DecodedText {
  const sources = new Map<number, number>();
  let text = "";
  let used = 0;
  let next = 0;
  let at = 0;
  while (at < source.length) {
    while (next < wanted.length && text.length + used >= (wanted[next] as number))
      sources.set(wanted[next++] as number, at);
    const code = source.charCodeAt(at);
    if (code !== percent && code !== backslash && code !== ampersand) {
      codes[used++] = code;
      at++;
    } else {
      const decoded =
        code === percent
          ? readPercent(source, at)
          : code === backslash
            ? readBackslash(source, at)
            : readEntity(source, at);
      if (decoded > 0xffff) {
        codes[used++] = 0xd800 + ((decoded - 0x10000) >> 10);
        codes[used++] = 0xdc00 + ((decoded - 0x10000) & 0x3ff);
      } else codes[used++] = decoded;
      at = end;
    }
    if (used >= pageLength) {
      text += textOf(used);
      used = 0;
    }
  }
  text += textOf(used);
  while (next < wanted.length) sources.set(wanted[next++] as number, source.length);
  return { text, sources };
}

const pageLength = 32_768;
const bytes = Buffer.alloc((pageLength + 2) * 2);
const codes = new Uint16Array(bytes.buffer, bytes.byteOffset, pageLength + 2);

function textOf(length: number): string {
  return bytes.toString("utf16le", 0, length * 2);
}

const [percent, backslash, ampersand, hash, semicolon, letterU, letterX] = [0x25, 0x5c, 0x26, 0x23, 0x3b, 0x75, 0x78];
const replacement = 0xfffd;

/** Where the escape ends that was read last. A function that returned both would make an object for each character. */
let end = 0;

/** One character in UTF-8, each byte escaped. Bytes that are no UTF-8 become one replacement character each. */
function readPercent(source: string, at: number): number {
  const first = byteAt(source, at);
  end = at + (first < 0 ? 1 : 3);
  if (first < 0x80) return first < 0 ? percent : first;
  const more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
  let code = first & (0x3f >> more);
  if (first < 0xc0) return replacement;
  for (let count = 1; count <= more; count++) {
    const byte = source.charCodeAt(at + 3 * count) === percent ? byteAt(source, at + 3 * count) : -1;
    if ((byte & 0xc0) !== 0x80 || byte < 0) return replacement;
    code = (code << 6) | (byte & 0x3f);
  }
  end = at + 3 * (more + 1);
  return code <= 0x10ffff ? code : replacement;
}

/** The byte of `%73` at a position, or a negative number. */
function byteAt(source: string, at: number): number {
  return (digitAt(source, at + 1) << 4) | digitAt(source, at + 2);
}

/** Up to four backslashes belong to an escape, which may be in JSON in JSON. */
function readBackslash(source: string, at: number): number {
  end = at + 1;
  let letter = at + 1;
  while (letter < at + 4 && source.charCodeAt(letter) === backslash) letter++;
  const kind = source.charCodeAt(letter) | 0x20;
  const length = kind === letterU ? 4 : kind === letterX ? 2 : 0;
  const code = length === 0 ? -1 : hexAt(source, letter + 1, length);
  if (code < 0) return backslash;
  end = letter + 1 + length;
  return code;
}

function readEntity(source: string, at: number): number {
  end = at + 1;
  if (source.charCodeAt(at + 1) !== hash) return ampersand;
  const isHex = (source.charCodeAt(at + 2) | 0x20) === letterX;
  const from = isHex ? at + 3 : at + 2;
  const base = isHex ? 16 : 10;
  const last = isHex ? from + 6 : from + 7;
  let code = 0;
  let to = from;
  for (; to < last; to++) {
    const digit = digitAt(source, to);
    if (digit < 0 || digit >= base) break;
    code = code * base + digit;
  }
  if (to === from) return ampersand;
  end = source.charCodeAt(to) === semicolon ? to + 1 : to;
  return code <= 0x10ffff ? code : replacement;
}

function hexAt(source: string, at: number, length: number): number {
  let code = 0;
  for (let index = at; index < at + length; index++) {
    const digit = digitAt(source, index);
    if (digit < 0) return -1;
    code = (code << 4) | digit;
  }
  return code;
}

/** The value of a hexadecimal digit, or -1. */
function digitAt(source: string, at: number): number {
  if (at >= source.length) return -1;
  const code = source.charCodeAt(at);
  return code < 128 ? (digits[code] as number) : -1;
}

const digits = Int8Array.from({ length: 128 }, (_, code) =>
  "0123456789abcdef".indexOf(String.fromCharCode(code).toLowerCase()),
);
