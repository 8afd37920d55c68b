import { decodeEscapes } from "./decode-escapes.ts";
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
    has: (text) => finder.has(text) || (hasEscapes(text) && finder.has(decodeEscapes(text).text)),
    spans(text) {
      const spans = finder.spans(text);
      return hasEscapes(text) ? mergeSpans([spans, inSource(text, finder.spans(decodeEscapes(text).text))]) : spans;
    },
    openSpans(text, covered) {
      const found = finder.openSpans(text, covered);
      const cut = unfinishedEscape.exec(text.slice(-longestEscape))?.[0].length ?? 0;
      const whole = text.slice(0, text.length - cut);
      if (whole.length === text.length && !hasEscapes(text)) return found;
      const { spans, open } = finder.openSpans(decodeEscapes(whole).text, 0);
      const openSource = decodeEscapes(whole, [open]).sources.get(open) ?? whole.length;
      return { spans: mergeSpans([found.spans, inSource(whole, spans)]), open: Math.min(found.open, openSource) };
    },
    findsNumbers: finder.findsNumbers,
    forms: finder.forms,
  };
}

const unfinishedEscape = /(?:%[\da-f]?|\\{1,4}(?:u[\da-f]{0,3}|x[\da-f]?)?|&(?:#(?:\d{0,7}|x[\da-f]{0,6}))?)$/i;
const longestEscape = 12;

/**
 * Most text has none of these, and a native search for one character is far faster than an expression. For two, it is
 * slow where the first of them is repeated.
 */
function hasEscapes(text: string): boolean {
  return (
    (text.includes("%") && /%[\da-f]{2}/i.test(text)) ||
    (text.includes("\\") && /\\[ux]/i.test(text)) ||
    (text.includes("&") && /&#[\dx]/i.test(text))
  );
}

/** The spans in a decoded text, where they are in its source. */
function inSource(source: string, spans: readonly SecretSpan[]): readonly SecretSpan[] {
  if (spans.length === 0) return spans;
  const { sources } = decodeEscapes(source, positions(spans.flatMap(({ start, end }) => [start, end])));
  const sourceOf = (at: number) => sources.get(at) ?? source.length;
  return spans.map(({ start, end, label }) => ({ start: sourceOf(start), end: sourceOf(end), label }));
}

function positions(all: readonly number[]): number[] {
  return [...new Set(all)].sort((a, b) => a - b);
}
