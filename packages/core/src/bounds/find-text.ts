/**
 * The first occurrence of `needle` at or after `from`, or -1. Takes linear time. The native search is faster, but a long
 * hostile needle makes it quadratic: a file of 1 MB would take a minute.
 */
export function findText(text: string, needle: string, from = 0): number {
  if (needle.length <= maxNativeLength) return text.indexOf(needle, from);
  if (needle.length > text.length - from) return -1;
  const search = new LongNeedle(needle);
  search.prepare(needle.length);
  return search.find(text, from, text.length);
}

/** The native search prepares this many characters of a needle. */
const maxNativeLength = 250;

/** Searches for one long text, in parts if needed (Knuth, Morris and Pratt). */
export class LongNeedle {
  readonly #needle: string;
  /** For each length of a prefix, the length of its longest border. */
  readonly #borders: Uint32Array;
  /** How many prefixes have their border. */
  #prepared = 1;
  /** Length of the needle's prefix that the text so far ends with. */
  #matched = 0;

  constructor(needle: string) {
    this.#needle = needle;
    this.#borders = new Uint32Array(needle.length + 1);
  }

  /** Prepares `count` more characters of the needle. Returns false once all are prepared; then `find` may follow. */
  prepare(count: number): boolean {
    const needle = this.#needle;
    const borders = this.#borders;
    const end = Math.min(needle.length, this.#prepared + count);
    let matched = this.#matched;
    for (let index = this.#prepared; index < end; index++) {
      const code = needle.charCodeAt(index);
      while (matched > 0 && needle.charCodeAt(matched) !== code) matched = borders[matched] as number;
      if (needle.charCodeAt(matched) === code) matched++;
      borders[index + 1] = matched;
    }
    this.#prepared = end;
    const isReady = end === needle.length;
    this.#matched = isReady ? 0 : matched;
    return !isReady;
  }

  /** Where the needle begins if it ends between `from` and `to`, or -1. Then the next part may follow. */
  find(text: string, from: number, to: number): number {
    const needle = this.#needle;
    const borders = this.#borders;
    let matched = this.#matched;
    for (let index = from; index < to; index++) {
      const code = text.charCodeAt(index);
      while (matched > 0 && needle.charCodeAt(matched) !== code) matched = borders[matched] as number;
      if (needle.charCodeAt(matched) === code && ++matched === needle.length) {
        this.#matched = 0;
        return index + 1 - needle.length;
      }
    }
    this.#matched = matched;
    return -1;
  }
}
