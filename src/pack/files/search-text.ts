import { naming } from "./file-fault.ts";
import type { PathMatcher } from "./glob.ts";
import { withFolder } from "./list-folder.ts";
import { readFile } from "./read-file.ts";
import type { Place } from "./root.ts";
import { decodeText } from "./decode-text.ts";
import { placeOf, walkTree } from "./walk-tree.ts";

export interface TextSearch {
  readonly query: string;
  readonly isCaseSensitive?: boolean;
  readonly matches?: PathMatcher;
  readonly maxResults: number;
  readonly signal?: AbortSignal;
}

export interface TextMatch {
  /** The names that lead to the file from the folder that was searched. */
  readonly names: readonly string[];
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** Lines that hold the query, letter for letter, in the text files below a folder. Bounded on every side. */
export function searchText(
  place: Place,
  search: TextSearch,
): Promise<{ matches: TextMatch[]; isCut: boolean; filesSearched: number }> {
  return withFolder(place, async (folder) => {
    const matches: TextMatch[] = [];
    let filesSearched = 0;
    let bytesLeft = mostBytes;
    const { isCut } = await walkTree(place.root, folder, {
      maxEntries: mostEntries,
      ...(search.signal && { signal: search.signal }),
      visit: async (entry) => {
        if (entry.type !== "file" || (search.matches && !search.matches(entry.names))) return;
        const text = await textOf(await placeOf(place.root, entry, place.shown));
        if (text === undefined) return;
        filesSearched++;
        bytesLeft -= text.length;
        for (const { line, text: shown } of linesWith(text, search)) {
          if (matches.length === search.maxResults) return false;
          matches.push({ names: entry.names, line, text: shown });
        }
        if (bytesLeft <= 0) return false;
      },
    });
    return { matches, isCut, filesSearched };
  });
}

/** The lines of a text that hold the query, cut to the words around it. */
export function* linesWith(
  text: string,
  { query, isCaseSensitive }: Pick<TextSearch, "query" | "isCaseSensitive">,
): Generator<{ line: number; text: string }> {
  const fold = (some: string) => (isCaseSensitive ? some : some.toLowerCase());
  const wanted = fold(query);
  if (wanted === "" || !fold(text).includes(wanted)) return;
  for (const [index, line] of text.split("\n").entries()) {
    const at = fold(line).indexOf(wanted);
    if (at >= 0) yield { line: index + 1, text: around(line.trimEnd(), at, wanted.length) };
  }
}

const mostEntries = 20_000;
const mostBytes = 64 * 1024 * 1024;
const largestFile = 1024 * 1024;
const shownLength = 200;

async function textOf(file: Place): Promise<string | undefined> {
  if (!file.stats?.isFile() || file.stats.size > largestFile) return undefined;
  // What vanished, may not be read or has a second name is passed over.
  const bytes = await naming(file.shown, "read", () => readFile(file, largestFile)).catch(() => undefined);
  return bytes && decodeText(bytes);
}

function around(line: string, at: number, length: number): string {
  if (line.length <= shownLength) return line;
  const from = Math.max(0, Math.min(at - 60, line.length - shownLength));
  const to = Math.min(line.length, Math.max(from + shownLength, at + Math.min(length, shownLength)));
  return `${from > 0 ? "…" : ""}${line.slice(from, to)}${to < line.length ? "…" : ""}`;
}
