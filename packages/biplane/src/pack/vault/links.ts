import { posix } from "node:path";
import type { Turns } from "@biplane/core/internal";
import { foldName } from "../shared/files/names.ts";
import { nameOf } from "./note.ts";
import type { Notes } from "./notes.ts";

type NoteLookup = Pick<Notes, "all" | "named" | "linkingTo">;

/** The notes that link to a note, up to 1,000. */
export async function backlinksOf(notes: NoteLookup, target: string, turns: Turns): Promise<string[]> {
  const name = foldName(nameOf(target));
  const found: string[] = [];
  for (const path of notes.linkingTo(target)) {
    await turns.next();
    const links = path === target ? [] : (notes.all.get(path)?.links ?? []);
    const candidates = links.filter((link) => foldName(nameOf(link)) === name);
    if (candidates.some((link) => resolveLink(notes, link, path) === target)) found.push(path);
    if (found.length === maxBacklinks) break;
  }
  return found.sort();
}

const maxBacklinks = 1000;

/**
 * Resolves a link: relative to the vault, else relative to the note, else the note with that name and the shortest
 * path.
 */
export function resolveLink(notes: NoteLookup, link: string, from: string): string | undefined {
  const spelled = /\.md$/i.test(link) ? link : `${link}.md`;
  const fromTop = posix.normalize(spelled.replace(/^\//, ""));
  const beside = posix.normalize(posix.join(posix.dirname(from), spelled));
  const exact = [fromTop, beside].find((path) => notes.all.has(path));
  if (exact !== undefined) return exact;
  const ending = `/${fromTop.toLowerCase()}`;
  let nearest: string | undefined;
  let left = maxNamesakes;
  for (const path of notes.named(nameOf(link))) {
    if (left-- === 0) break;
    if (`/${path.toLowerCase()}`.endsWith(ending) && isNearer(path, nearest)) nearest = path;
  }
  return nearest;
}

/** Of so many notes with one name, any is as good. */
const maxNamesakes = 200;

function isNearer(path: string, other: string | undefined): boolean {
  if (other === undefined || path.length !== other.length) return path.length < (other?.length ?? Infinity);
  return path < other;
}
