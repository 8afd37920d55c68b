import type { Tool } from "./tool.ts";

/** The fields of a tool that search reads. */
export type Searchable = Pick<Tool, "name" | "title" | "description"> & { readonly input: { readonly json: unknown } };

/** A prepared search index. */
export interface ToolIndex<T extends Searchable> {
  /** The best matches, best first. */
  search(query: string, limit?: number): T[];
}

/** Prepares a BM25 index. Words of the name weigh more than those of the description and the arguments. */
export function toolIndex<T extends Searchable>(tools: Iterable<T>): ToolIndex<T> {
  const all = [...tools];
  const postings = new Map<string, Posting[]>();
  const lengths: number[] = [];
  for (const [at, tool] of all.entries()) {
    const weights = wordWeights(tool);
    let length = 0;
    for (const [word, weight] of weights) {
      length += weight;
      const found = postings.get(word);
      if (found) found.push({ at, weight });
      else postings.set(word, [{ at, weight }]);
    }
    lengths.push(length);
  }
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
  const words = [...postings.keys()].sort();
  return {
    search(query, limit = 10) {
      const scores = new Map<number, number>();
      for (const asked of new Set(wordsOf(query.slice(0, maxQueryLength)))) {
        for (const [word, worth] of wordsLike(words, asked)) {
          const found = postings.get(word) ?? [];
          const rarity = Math.log(1 + (all.length - found.length + 0.5) / (found.length + 0.5));
          for (const { at, weight } of found) {
            const length = 0.25 + (0.75 * (lengths[at] ?? average)) / average;
            const score = (worth * rarity * weight * 2.2) / (weight + 1.2 * length);
            scores.set(at, (scores.get(at) ?? 0) + score);
          }
        }
      }
      const exact = all.findIndex(({ name }) => name.toLowerCase() === query.trim().toLowerCase());
      if (exact >= 0) scores.set(exact, Infinity);
      return [...scores]
        .sort(([a, first], [b, second]) => second - first || a - b)
        .slice(0, Math.max(0, limit))
        .map(([at]) => all[at] as T);
    },
  };
}

interface Posting {
  readonly at: number;
  readonly weight: number;
}

const maxQueryLength = 1000;

function wordWeights({ name, title, description, input }: Searchable): Map<string, number> {
  const weights = new Map<string, number>();
  const add = (text: string, weight: number) => {
    for (const word of wordsOf(text)) weights.set(word, (weights.get(word) ?? 0) + weight);
  };
  add(name, 4);
  add(title ?? "", 3);
  add(description ?? "", 1);
  addSchema(input.json, add, 0);
  return weights;
}

/** Adds names and descriptions of arguments, to a limited depth. */
function addSchema(schema: unknown, add: (text: string, weight: number) => void, depth: number): void {
  if (typeof schema !== "object" || schema === null || depth > 6) return;
  for (const [key, value] of Object.entries(schema)) {
    if (key === "description" || key === "title") {
      if (typeof value === "string") add(value, 0.5);
    } else if (key === "enum") {
      if (Array.isArray(value)) add(value.filter((each) => typeof each === "string").join(" "), 0.3);
    } else {
      if (key === "properties" && typeof value === "object" && value !== null) add(Object.keys(value).join(" "), 1);
      addSchema(value, add, depth + 1);
    }
  }
}

/** Lower-case words: `readTextFile`, `read_text_file` and "Read text files" give the same ones. */
function wordsOf(text: string): string[] {
  const parted = text.replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2").toLowerCase();
  return (parted.match(/[\p{L}\p{N}]+/gu) ?? []).map(stem);
}

/** Strips English plurals and the usual endings. */
function stem(word: string): string {
  if (word.length < 4) return word;
  return word
    .replace(/(?:ies)$/, "y")
    .replace(/(?:sses)$/, "ss")
    .replace(/(?<!s)s$/, "")
    .replace(/(?:ing|ed)$/, "");
}

/** The word itself, and with less weight the words that begin with it. */
function* wordsLike(words: readonly string[], asked: string): Generator<readonly [string, number]> {
  let low = 0;
  let high = words.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((words[middle] ?? "") < asked) low = middle + 1;
    else high = middle;
  }
  for (const word of words.slice(low)) {
    if (!word.startsWith(asked)) return;
    if (word === asked) yield [word, 1];
    else if (asked.length >= 3) yield [word, 0.4];
  }
}
