import { hasBits } from "./base64-forms.ts";
import type { LabelledForm } from "./forms.ts";
import { createSieve, enoughToSee } from "./sieve.ts";
import { addSpan, type Span } from "./spans.ts";
import { createTrie, walk } from "./trie.ts";

/** Finds forms of secrets in text: a sieve says where one may begin, a trie says which and how long. */
export interface Finder {
  has(text: string): boolean;
  /** What belongs to any secret, from left to right. */
  spans(text: string): readonly Span[];
  /**
   * The same for text that is not complete, of which the first `covered` characters belong to a secret already
   * replaced: from `open` on, more text can still change what is found.
   */
  openSpans(text: string, covered: number): { readonly spans: readonly Span[]; readonly open: number };
  /** Whether a number can spell a secret. */
  readonly findsNumbers: boolean;
}

export function createFinder(forms: readonly LabelledForm[]): Finder {
  const trie = createTrie(forms);
  const sieve = createSieve(forms.map(({ text }) => text));
  const has = (text: string) => sieve.some(text, (start) => walk(trie, text, start).form !== undefined);
  return {
    has,
    spans(text) {
      let spans = none;
      sieve.some(text, (start) => {
        const { form, end } = walk(trie, text, start);
        if (form) addSpan(spans === none ? (spans = []) : spans, withNeighbours(text, { start, end, form }));
        return false;
      });
      return spans;
    },
    openSpans(text, covered) {
      const spans: Span[] = covered > 0 ? [{ start: 0, end: covered, label: "" }] : [];
      // The last digit of base64 may hold the first bits of a secret that the next text brings.
      let open = /[\w+/-]$/.test(text) ? text.length - 1 : text.length;
      const look = (start: number) => {
        const { form, end, isOpen } = walk(trie, text, start);
        if (form) addSpan(spans, withNeighbours(text, { start, end, form }));
        if (isOpen || (form?.after && end + mostAfter > text.length)) open = Math.min(open, Math.max(0, start - 1));
      };
      // Near the end the sieve has too little text to see a beginning.
      const tail = Math.max(0, text.length - enoughToSee + 1);
      sieve.some(text, (start) => {
        if (start < tail) look(start);
        return false;
      });
      for (let start = tail; start < text.length; start++) look(start);
      return { spans, open };
    },
    findsNumbers: forms.some(({ text }) => /^[\d.e+-]+$/.test(text)),
  };
}

/** A shared empty list, so that clean text costs nothing. */
const none: Span[] = [];

/** The digit after a secret in base64, and up to two signs of padding. */
const mostAfter = 3;

function withNeighbours(text: string, found: { start: number; end: number; form: LabelledForm }): Span {
  const { form } = found;
  let { start, end } = found;
  if (start > 0 && form.before && hasBits(text.charCodeAt(start - 1), form.before)) start--;
  if (end < text.length && form.after && hasBits(text.charCodeAt(end), form.after)) {
    end++;
    for (let signs = 0; signs < 2 && text[end] === "="; signs++) end++;
  }
  return { start, end, label: form.label.text };
}
