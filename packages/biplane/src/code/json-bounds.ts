/** What JSON text may contain that a guest sends. */
export interface JsonBounds {
  readonly length: number;
  /** Values, keys included: what makes text slow to parse, validate and copy. */
  readonly parts: number;
  readonly depth: number;
}

/** The bounds of a tool call's arguments. The main thread handles arguments at these bounds in milliseconds. */
export const callBounds: JsonBounds = { length: 4 * 1024 * 1024, parts: 50_000, depth: 128 };

/**
 * Why JSON text exceeds the bounds; undefined if it does not. Runs in the guest's worker, before the text crosses to
 * the main thread. One pass without parsing, which also holds for text that is not JSON.
 */
export function boundsFault(text: string, bounds: JsonBounds): string | undefined {
  if (text.length > bounds.length) return `they are larger than ${bounds.length} bytes`;
  let parts = 1;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfString(text, at);
        break;
      case openBracket:
      case openBrace:
        if (++depth > bounds.depth) return `they are nested more than ${bounds.depth} levels deep`;
        parts++;
        break;
      case closeBracket:
      case closeBrace:
        depth--;
        break;
      case comma:
      case colon:
        parts++;
        break;
      default:
    }
  }
  return parts > bounds.parts ? `they contain more than ${bounds.parts} values` : undefined;
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === backslash) before--;
  return (at - before) % 2 === 0;
}
