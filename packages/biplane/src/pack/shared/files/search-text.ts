import type { Call } from "@biplane/core";
import { withFileErrors } from "./file-errors.ts";
import { findText } from "@biplane/core/internal";
import type { PathMatcher } from "./glob.ts";
import { withFolder } from "./list-folder.ts";
import { readFile } from "./read-file.ts";
import type { FileLocation } from "./root.ts";
import { decodeUtf8 } from "./decode-utf8.ts";
import { locationOf, walkTree } from "./walk-tree.ts";

export interface TextSearch {
  readonly query: string;
  readonly isCaseSensitive?: boolean;
  readonly matches?: PathMatcher;
  readonly maxResults: number;
  readonly call: Pick<Call, "redact" | "signal">;
}

export interface TextMatch {
  /** The path of the file, relative to the searched folder. */
  readonly names: readonly string[];
  /** 1-based. */
  readonly line: number;
  readonly text: string;
}

/** Finds lines that contain a literal text, in the text files below a folder. Time and size are limited. */
export function searchText(
  location: FileLocation,
  search: TextSearch,
): Promise<{ matches: TextMatch[]; isCut: boolean; filesSearched: number }> {
  return withFolder(location, async (folder) => {
    const matches: TextMatch[] = [];
    let filesSearched = 0;
    let bytesLeft = maxSearchedBytes;
    const { isCut } = await walkTree(location.root, folder, {
      maxEntries: maxSearchedEntries,
      signal: search.call.signal,
      visit: async (entry) => {
        if (entry.type !== "file" || (search.matches && !search.matches(entry.names))) return;
        const text = await textOf(await locationOf(location.root, entry, location.shown));
        if (text === undefined) return;
        filesSearched++;
        bytesLeft -= text.length;
        // Redacted before the search, so that a query finds out nothing about a secret.
        for (const { line, text: shown } of linesWith(search.call.redact(text), search)) {
          if (matches.length === search.maxResults) return false;
          matches.push({ names: entry.names, line, text: shown });
        }
        if (bytesLeft <= 0) return false;
      },
    });
    return { matches, isCut, filesSearched };
  });
}

/** The lines of a text that contain the query, shortened around the match. */
export function* linesWith(
  text: string,
  { query, isCaseSensitive }: Pick<TextSearch, "query" | "isCaseSensitive">,
): Generator<{ line: number; text: string }> {
  const [folded, wanted] = isCaseSensitive ? [text, query] : [foldCase(text), foldCase(query)];
  if (wanted === "" || wanted.includes("\n")) return;
  let number = 1;
  let start = 0;
  for (let at = findText(folded, wanted); at >= 0; at = findText(folded, wanted, start)) {
    for (let end = text.indexOf("\n", start); end >= 0 && end < at; end = text.indexOf("\n", start)) {
      start = end + 1;
      number++;
    }
    const end = text.indexOf("\n", at);
    const line = text.slice(start, end < 0 ? undefined : end).trimEnd();
    yield { line: number, text: around(line, at - start, wanted.length) };
    if (end < 0) return;
    start = end + 1;
    number++;
  }
}

/** Lower case without a change of length, which one letter would cause. */
export function foldCase(text: string): string {
  return text.replaceAll("\u0130", "i").toLowerCase();
}

export const maxSearchedEntries = 20_000;
export const maxSearchedBytes = 64 * 1024 * 1024;
const largestFile = 1024 * 1024;
const shownLength = 200;

async function textOf(file: FileLocation): Promise<string | undefined> {
  if (!file.stats?.isFile() || file.stats.size > largestFile) return undefined;
  // Skip files that vanished, are unreadable or have several hard links.
  const bytes = await withFileErrors(file.shown, "read", () => readFile(file, largestFile)).catch(() => undefined);
  return bytes && decodeUtf8(bytes);
}

function around(line: string, at: number, length: number): string {
  if (line.length <= shownLength) return line;
  const from = Math.max(0, Math.min(at - 60, line.length - shownLength));
  const to = Math.min(line.length, Math.max(from + shownLength, at + Math.min(length, shownLength)));
  return `${from > 0 ? "…" : ""}${line.slice(from, to)}${to < line.length ? "…" : ""}`;
}
