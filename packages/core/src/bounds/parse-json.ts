/** Limits of untrusted JSON. */
export interface JsonLimits {
  /** Maximum nesting of lists and objects. */
  readonly maxDepth?: number;
  /** Maximum number of items, keys, lists and objects together: the work of everything that handles the value. */
  readonly maxParts?: number;
}

/** Real messages stay far below. At these limits, a call holds the event loop for some ten milliseconds. */
export const jsonLimits = { maxDepth: 128, maxParts: 50_000 } as const satisfies JsonLimits;

/**
 * Parses JSON from outside. Throws a `SyntaxError` if it is not JSON, or a `RangeError` if it exceeds the limits. The
 * message completes "The body …".
 */
export function parseJson(text: string, limits: JsonLimits = jsonLimits): unknown {
  const { maxDepth = jsonLimits.maxDepth, maxParts = jsonLimits.maxParts } = limits;
  checkJson(text, maxDepth, maxParts);
  return JSON.parse(text) as unknown;
}

/** Like `parseJson`, but returns `otherwise` where that throws. */
export function tryParseJson(
  text: string,
  { otherwise, limits = jsonLimits }: { readonly otherwise?: unknown; readonly limits?: JsonLimits } = {},
): unknown {
  try {
    return parseJson(text, limits);
  } catch {
    return otherwise;
  }
}

/** For text of the user's own. */
export const noJsonLimits: JsonLimits = { maxDepth: Infinity, maxParts: Infinity };

/** Counting brackets settles short text; only the rest is scanned. */
function checkJson(text: string, maxDepth: number, maxParts: number): void {
  if (text.length <= maxDepth || (text.length <= maxParts && !hasBrackets(text, maxDepth))) return;
  const scan = { depth: 0, parts: 0, isString: false, isEscaped: false };
  // Codes in a typed array are read three times as fast as those of a string. In UTF-8, bytes below 128 are ASCII.
  for (let from = 0; from < text.length;) {
    const { written } = encoder.encodeInto(text.slice(from, from + pageLength), codes);
    scanPage(scan, written, maxDepth);
    if (scan.parts > maxParts) throw new RangeError(`has more than ${maxParts} items and keys`);
    from += pageLength;
    if (!scan.isString) continue;
    from = endOfString(text, scan.isEscaped ? from + 1 : from);
    scan.isEscaped = false;
  }
}

/**
 * The quote that ends the string in which `from` lies, or the end of the text. Searching is faster than a scan, but not
 * in a string with many escaped quotes: after some, the place behind the last one.
 */
function endOfString(text: string, from: number): number {
  let escaped = 0;
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at;
    while (before > from && text.charCodeAt(before - 1) === 0x5c) before--;
    if ((at - before) % 2 === 0) return at;
    if (++escaped === maxEscaped) return at + 1;
  }
  return text.length;
}

const maxEscaped = 16;

const pageLength = 8192;
const encoder = new TextEncoder(); // Browsers have no `Buffer`.
const codes = new Uint8Array(pageLength * 3);

function scanPage(scan: Scan, length: number, maxDepth: number): void {
  let { depth, parts, isString, isEscaped } = scan;
  for (let at = 0; at < length; at++) {
    const code = codes[at];
    if (isString) {
      if (isEscaped) isEscaped = false;
      else if (code === 0x5c) isEscaped = true;
      else if (code === 0x22) isString = false;
    } else if (code === 0x22) isString = true;
    else if (code === 0x2c || code === 0x3a) parts++;
    else if (code === 0x5b || code === 0x7b) {
      parts++;
      if (++depth > maxDepth) throw new RangeError(`is nested deeper than ${maxDepth} levels`);
    } else if (code === 0x5d || code === 0x7d) depth--;
  }
  Object.assign(scan, { depth, parts, isString, isEscaped });
}

interface Scan {
  depth: number;
  /** Commas, colons and opening brackets outside strings. */
  parts: number;
  isString: boolean;
  isEscaped: boolean;
}

function hasBrackets(text: string, more: number): boolean {
  let brackets = 0;
  for (let at = text.indexOf("["); at >= 0 && brackets <= more; at = text.indexOf("[", at + 1)) brackets++;
  for (let at = text.indexOf("{"); at >= 0 && brackets <= more; at = text.indexOf("{", at + 1)) brackets++;
  return brackets > more;
}
