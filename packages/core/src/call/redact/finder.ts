import { hasBits } from "./base64-forms.ts";
import type { LabelledForm } from "./forms.ts";
import { createSieve, lookaheadLength } from "./sieve.ts";
import { addSpan, type SecretSpan } from "./spans.ts";
import { createTrie, walk } from "./trie.ts";

/** Finds forms of secrets. The sieve yields candidate positions; the trie verifies them. */
export interface Finder {
  has(text: string): boolean;
  /** All matches, left to right. */
  spans(text: string): readonly SecretSpan[];
  /**
   * The same for incomplete text. Its first `covered` characters belong to a secret that was already replaced. From
   * `open` on, more text can still change the matches.
   */
  openSpans(text: string, covered: number): { readonly spans: readonly SecretSpan[]; readonly open: number };
  /** Whether a number could spell a secret. */
  readonly findsNumbers: boolean;
  /** What it finds. */
  readonly forms: readonly LabelledForm[];
}

export function createFinder(forms: readonly LabelledForm[]): Finder {
  const trie = createTrie(forms);
  const sieve = createSieve(forms.map(({ text }) => text));
  const has = (text: string) =>
    text.length >= sieve.shortest && sieve.some(text, (start) => walk(trie, text, start).form !== undefined);
  return {
    has,
    spans(text) {
      let spans = none;
      if (text.length < sieve.shortest) return spans;
      sieve.some(text, (start) => {
        const { form, end } = walk(trie, text, start);
        if (form) addSpan(spans === none ? (spans = []) : spans, withNeighbours(text, { start, end, form }));
        return false;
      });
      return spans;
    },
    openSpans(text, covered) {
      const spans: SecretSpan[] = covered > 0 ? [{ start: 0, end: covered, label: "" }] : [];
      // The last base64 digit may hold the first bits of a secret that continues in the next chunk.
      let open = /[\w+/-]$/.test(text) ? text.length - 1 : text.length;
      const look = (start: number) => {
        const { form, end, isOpen } = walk(trie, text, start);
        if (form) addSpan(spans, withNeighbours(text, { start, end, form }));
        if (isOpen || (form?.after && end + maxSuffixLength > text.length))
          open = Math.min(open, Math.max(0, start - 1));
      };
      // Near the end, the sieve has too few characters to see a match begin.
      const tail = Math.max(0, text.length - lookaheadLength + 1);
      sieve.some(text, (start) => {
        if (start < tail) look(start);
        return false;
      });
      for (let start = tail; start < text.length; start++) look(start);
      return { spans, open };
    },
    findsNumbers: forms.some(({ text }) => /^[\d.e+-]+$/.test(text)),
    forms,
  };
}

/** Shared, so clean text allocates nothing. */
const none: SecretSpan[] = [];

/** The digit after a secret in base64, and up to two padding characters. */
const maxSuffixLength = 3;

function withNeighbours(text: string, found: { start: number; end: number; form: LabelledForm }): SecretSpan {
  const { form } = found;
  let { start, end } = found;
  if (start > 0 && form.before && hasBits(text.charCodeAt(start - 1), form.before)) start--;
  if (end < text.length && form.after && hasBits(text.charCodeAt(end), form.after)) {
    end++;
    for (let signs = 0; signs < 2 && text[end] === "="; signs++) end++;
  }
  return { start, end, label: form.label.text };
}
