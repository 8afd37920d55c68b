import type { Finder } from "./finder.ts";
import { redactorOf } from "./redactor.ts";
import type { Redactor } from "./redactor.ts";
import { mergeSpans } from "./spans.ts";

/** Combines several redactors, and rebuilds the combination only if one of them changed. */
export class CombinedRedactor {
  #parts: readonly Redactor[] = [];
  #combined: Redactor | undefined;

  of(redactors: readonly (Redactor | undefined)[]): Redactor | undefined {
    const parts = redactors.filter((part): part is Redactor => part !== undefined && !part.isEmpty);
    if (parts.length < 2) return parts[0];
    const isSame = parts.length === this.#parts.length && parts.every((part, at) => part === this.#parts[at]);
    if (isSame) return this.#combined;
    this.#parts = parts;
    return (this.#combined = redactorOf(combinedFinder(parts.map(({ finder }) => finder))));
  }
}

/** Searches the same text with each, so that a secret which overlaps another's leaves no rest. */
function combinedFinder(finders: readonly Finder[]): Finder {
  return {
    has: (text) => finders.some((finder) => finder.has(text)),
    spans: (text) => mergeSpans(finders.map((finder) => finder.spans(text))),
    openSpans(text, covered) {
      const found = finders.map((finder) => finder.openSpans(text, covered));
      return {
        spans: mergeSpans(found.map(({ spans }) => spans)),
        open: Math.min(...found.map(({ open }) => open)),
      };
    },
    findsNumbers: finders.some(({ findsNumbers }) => findsNumbers),
  };
}
