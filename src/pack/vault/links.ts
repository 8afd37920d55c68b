import { posix } from "node:path";
import { foldName } from "../files/names.ts";
import { nameOf } from "./note.ts";
import type { Notes } from "./notes.ts";

/** The notes that point to one. */
export function backlinksOf(notes: Pick<Notes, "all" | "named">, target: string): string[] {
  const name = foldName(nameOf(target));
  const found: string[] = [];
  for (const [path, { links }] of notes.all) {
    if (path === target) continue;
    const candidates = links.filter((link) => foldName(nameOf(link)) === name);
    if (candidates.some((link) => resolveLink(notes, link, path) === target)) found.push(path);
  }
  return found.sort();
}

/** Where a link in a note leads: from the top of the vault, from beside the note, or else to the nearest of that name. */
export function resolveLink(notes: Pick<Notes, "all" | "named">, link: string, from: string): string | undefined {
  const spelled = /\.md$/i.test(link) ? link : `${link}.md`;
  const fromTop = posix.normalize(spelled.replace(/^\//, ""));
  const beside = posix.normalize(posix.join(posix.dirname(from), spelled));
  const exact = [fromTop, beside].find((path) => notes.all.has(path));
  if (exact !== undefined) return exact;
  const ending = `/${fromTop.toLowerCase()}`;
  const alike = [...notes.named(nameOf(link))].filter((path) => `/${path.toLowerCase()}`.endsWith(ending));
  return alike.sort((one, other) => one.length - other.length || (one < other ? -1 : 1))[0];
}
