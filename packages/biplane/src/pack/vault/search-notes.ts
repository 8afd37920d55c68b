import { findText } from "@biplane/core/internal";
import type { Turns } from "@biplane/core/internal";
import { foldCase, linesWith } from "../shared/files/search-text.ts";
import type { Redacting } from "../shared/shorten-text.ts";
import { nameOf, readNote } from "./note.ts";
import type { KnownNote } from "./notes.ts";

export interface NoteSearch {
  readonly query: string;
  readonly turns: Turns;
  readonly call: Redacting;
}

/** The notes with a tag, or with all words of the query, best first. */
export async function findNotes(notes: ReadonlyMap<string, KnownNote>, search: NoteSearch): Promise<string[]> {
  const { query, turns, call } = search;
  const wanted = query.trim().toLowerCase();
  const scoreOf = /^#[\p{L}\p{N}_/-]+$/u.test(wanted) ? tagScore(wanted.slice(1)) : wordScore(query);
  const found: { readonly path: string; readonly score: number }[] = [];
  for (const [path, note] of notes) {
    const score = scoreOf(await redactNote(note, path, call), path);
    if (score > 0) found.push({ path, score });
    await turns.next();
  }
  return found
    .sort((one, other) => other.score - one.score || (one.path < other.path ? -1 : 1))
    .map(({ path }) => path);
}

/** A note without secrets. Redacted before the search, so that a query finds out nothing about a secret. */
export async function redactNote(note: KnownNote, path: string, call: Redacting): Promise<FoundNote> {
  const text = call.redact(note.text);
  return text === note.text ? note : { ...(await readNote(text, path)), text };
}

type FoundNote = Pick<KnownNote, "title" | "tags" | "text">;
type Score = (note: FoundNote, path: string) => number;

function tagScore(tag: string): Score {
  return ({ tags }) => {
    const isTagged = tags.some((one) => one.toLowerCase() === tag || one.toLowerCase().startsWith(`${tag}/`));
    return isTagged ? 1 : 0;
  };
}

/** Parts of words count too, which finds text in scripts without spaces. */
function wordScore(query: string): Score {
  const words = wordsOf(query);
  return ({ title, tags, text }, path) => {
    const folded = foldCase(text);
    const heads = [foldCase(title), foldCase(nameOf(path))];
    const tagged = foldCase(tags.join(" "));
    let sum = 0;
    for (const word of words) {
      const score =
        (heads.some((head) => head.includes(word)) ? 3 : 0) +
        (tagged.includes(word) ? 2 : 0) +
        (findText(folded, word) >= 0 ? 1 : 0);
      if (score === 0) return 0;
      sum += score;
    }
    return sum;
  };
}

function wordsOf(query: string): string[] {
  return [...new Set(foldCase(query).split(/[\s#]+/))].filter((word) => word !== "").slice(0, maxWords);
}

const maxWords = 20;
const maxExcerpts = 3;

/** The first lines of a note that contain the query, or else one of its words. */
export async function excerptsOf(
  text: string,
  { query, turns }: NoteSearch,
): Promise<{ line: number; text: string }[]> {
  for (const wanted of [query.trim(), ...wordsOf(query)]) {
    const lines = [];
    for (const line of linesWith(text, { query: wanted })) if (lines.push(line) === maxExcerpts) break;
    if (lines.length > 0) return lines;
    await turns.next();
  }
  return [];
}
