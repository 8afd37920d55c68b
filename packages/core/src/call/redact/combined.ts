import { createFinder } from "./finder.ts";
import type { Finder } from "./finder.ts";
import { redactorOf } from "./redactor.ts";
import type { Redactor } from "./redactor.ts";
import { mergeSpans } from "./spans.ts";

/** Combines several redactors, and rebuilds the combination only if one of them changed. */
export class CombinedRedactor {
  #given: readonly (Redactor | undefined)[] = [];
  #combined: Redactor | undefined;

  /** Every call asks for the redactors of its server several times, so nothing is made if they are the same. */
  ofSources(sources: readonly RedactorSource[]): Redactor | undefined {
    const isSame = sources.length === this.#given.length && sources.every((source, at) => source() === this.#given[at]);
    return isSame ? this.#combined : this.#combine(sources.map((source) => source()));
  }

  of(redactors: readonly (Redactor | undefined)[]): Redactor | undefined {
    const isSame =
      redactors.length === this.#given.length && redactors.every((redactor, at) => redactor === this.#given[at]);
    return isSame ? this.#combined : this.#combine(redactors);
  }

  #combine(redactors: readonly (Redactor | undefined)[]): Redactor | undefined {
    this.#given = redactors;
    const parts = [...new Set(redactors)].filter((part): part is Redactor => part !== undefined && !part.isEmpty);
    const isOne = parts.length < 2;
    return (this.#combined = isOne ? parts[0] : redactorOf(combineFinders(parts.map(({ finder }) => finder))));
  }
}

/** The redactor of secrets that may change. */
export type RedactorSource = () => Redactor | undefined;

/**
 * A few finders search one after the other, because to build one that finds everything takes longer than a call. Of many,
 * such as those of a hundred mounts, one is built: a text is then searched once, however many there are.
 */
function combineFinders(finders: readonly Finder[]): Finder {
  return finders.length > maxSearches ? createFinder(finders.flatMap(({ forms }) => forms)) : searchWithEach(finders);
}

const maxSearches = 4;

/** Searches the same text with each, so that a secret which overlaps another's leaves no rest. */
function searchWithEach(finders: readonly Finder[]): Finder {
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
    forms: finders.flatMap(({ forms }) => forms),
  };
}
