import type { Finder } from "./finder.ts";
import { mergeSpans } from "./spans.ts";
import type { SecretSpan } from "./spans.ts";

/**
 * Also finds secrets of which any characters are escaped: `%73`, `\u0073`, `\x73`, `&#115;` or `&#x73;`. The forms of a
 * secret hold only what libraries escape; an agent can escape more. So text with escapes is searched a second time,
 * decoded.
 */
export function decodingFinder(finder: Finder): Finder {
  return {
    has: (text) => finder.has(text) || (hasEscapes(text) && finder.has(decode(text).text)),
    spans(text) {
      const spans = finder.spans(text);
      return hasEscapes(text) ? mergeSpans([spans, spansIn(decode(text), (decoded) => finder.spans(decoded))]) : spans;
    },
    openSpans(text, covered) {
      const found = finder.openSpans(text, covered);
      const cut = unfinishedEscape.exec(text.slice(-longestEscape))?.[0].length ?? 0;
      const whole = text.slice(0, text.length - cut);
      if (whole.length === text.length && !hasEscapes(text)) return found;
      const decoded = decode(whole);
      const { spans, open } = finder.openSpans(decoded.text, 0);
      return {
        spans: mergeSpans([found.spans, spansIn(decoded, () => spans)]),
        open: Math.min(found.open, decoded.sourceOf(open)),
      };
    },
    findsNumbers: finder.findsNumbers,
  };
}

// Repetitions are bounded, so that hostile text is searched in linear time.
const escapes = /(?:%[\da-f]{2})+|\\{1,4}(?:u[\da-f]{4}|x[\da-f]{2})|&#(?:\d{1,7}|x[\da-f]{1,6});?/gi;
const unfinishedEscape = /(?:%[\da-f]?|\\{1,4}(?:u[\da-f]{0,3}|x[\da-f]?)?|&(?:#(?:\d{0,7}|x[\da-f]{0,6}))?)$/i;
const longestEscape = 12;

/** Most text has none of these, and `includes` is far faster than the expression. */
function hasEscapes(text: string): boolean {
  return text.includes("%") || text.includes("&#") || text.includes("\\u") || text.includes("\\x");
}

interface Decoded {
  readonly text: string;
  /** Where a character of the decoded text begins in the source. */
  sourceOf(at: number): number;
}

function decode(source: string): Decoded {
  /** Where decoded characters begin, with the difference to their source from there on. */
  const starts: number[] = [0];
  const shifts: number[] = [0];
  let text = "";
  let from = 0;
  const add = (decoded: string, next: number) => {
    text += decoded;
    from = next;
    starts.push(text.length);
    shifts.push(next - text.length);
  };
  for (const { 0: escape, index } of source.matchAll(escapes)) {
    text += source.slice(from, index);
    if (escape.startsWith("%")) {
      let at = index;
      for (const character of Buffer.from(escape.replaceAll("%", ""), "hex").toString())
        add(character, (at += 3 * Buffer.byteLength(character === "\uFFFD" ? "?" : character)));
      add("", index + escape.length); // Bytes that are no UTF-8 have no length of their own.
    } else add(characterOf(escape), index + escape.length);
  }
  text += source.slice(from);
  return {
    text,
    sourceOf(at) {
      let [low, high] = [0, starts.length - 1];
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((starts[middle] as number) <= at) low = middle;
        else high = middle - 1;
      }
      return Math.min(at + (shifts[low] as number), source.length);
    },
  };
}

function characterOf(escape: string): string {
  const [, hex, decimal] = /(?:u|x)([\da-f]+);?$|#(\d+);?$/i.exec(escape) ?? [];
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : "\uFFFD";
}

function spansIn(decoded: Decoded, search: (text: string) => readonly SecretSpan[]): readonly SecretSpan[] {
  return search(decoded.text).map(({ start, end, label }) => ({
    start: decoded.sourceOf(start),
    end: decoded.sourceOf(end),
    label,
  }));
}
