import { rmdir, unlink } from "node:fs/promises";
import { naming, refuse } from "./file-fault.ts";
import type { Folder } from "./folder.ts";
import { withFolder } from "./list-folder.ts";
import type { Place } from "./root.ts";
import { walkTree } from "./walk-tree.ts";

/** Removes a file, a link (not what it leads to), or a folder: an empty one, unless everything in it may go too. */
export async function removeFile(place: Place, options: { recursive: boolean; signal?: AbortSignal }): Promise<number> {
  const { root, folder, name, stats, shown } = place;
  if (name === ".") throw refuse(shown, "is the root itself, which stays");
  if (!stats) throw refuse(shown, "does not exist");
  await folder.confirm(name, stats, (real) => root.isAllowed(real));
  if (!stats.isDirectory()) {
    await naming(shown, "remove", () => unlink(folder.at(name)));
    return 1;
  }
  const removed = options.recursive ? await withFolder(place, (inner) => empty(place, inner, options.signal)) : 0;
  await naming(shown, "remove", () => rmdir(folder.at(name)));
  return removed + 1;
}

const mostEntries = 10_000;

/** Goes over everything first, so that a folder that cannot go is left as it was. */
async function empty({ root, shown }: Place, folder: Folder, signal: AbortSignal | undefined): Promise<number> {
  const found: { names: readonly string[]; isFolder: boolean }[] = [];
  const { isCut, holdsProtected } = await walkTree(root, folder, {
    maxEntries: mostEntries,
    ...(signal && { signal }),
    visit: ({ names, type }) => void found.push({ names, isFolder: type === "folder" }),
  });
  if (holdsProtected) throw refuse(shown, "holds files that are kept from tools");
  if (isCut) throw refuse(shown, `holds more than ${mostEntries} entries: remove its parts first`);
  for (const { names, isFolder } of found.reverse()) await removeBelow(folder, names, isFolder);
  return found.length;
}

/** Enters each folder anew, so that a folder swapped for a link since the walk is not gone through. */
async function removeBelow(folder: Folder, names: readonly string[], isFolder: boolean): Promise<void> {
  const [first = ".", ...rest] = names;
  if (rest.length === 0) return isFolder ? rmdir(folder.at(first)) : unlink(folder.at(first));
  await using inner = await folder.enter(first);
  await removeBelow(inner, rest, isFolder);
}
