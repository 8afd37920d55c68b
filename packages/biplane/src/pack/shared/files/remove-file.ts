import { rmdir, unlink } from "node:fs/promises";
import { withFileErrors, fileError } from "./file-errors.ts";
import type { Folder } from "./folder.ts";
import { withFolder } from "./list-folder.ts";
import type { FileLocation } from "./root.ts";
import { walkTree } from "./walk-tree.ts";

/** Removes a file, a symbolic link (not its target) or a folder. A folder must be empty unless `recursive` is set. */
export async function removeFile(
  location: FileLocation,
  options: { recursive: boolean; signal?: AbortSignal },
): Promise<number> {
  const { root, folder, name, stats, shown } = location;
  if (name === ".") throw fileError(shown, "is the root itself, which cannot be removed");
  if (!stats) throw fileError(shown, "does not exist");
  await folder.confirm(name, stats, (real) => root.isAllowed(real));
  if (!stats.isDirectory()) {
    await withFileErrors(shown, "remove", () => unlink(folder.at(name)));
    return 1;
  }
  const removed = options.recursive
    ? await withFolder(location, (inner) => emptyFolder(location, inner, options.signal))
    : 0;
  await withFileErrors(shown, "remove", () => rmdir(folder.at(name)));
  return removed + 1;
}

const maxEntries = 10_000;

/** Checks everything first, so that a folder that cannot be removed stays intact. */
async function emptyFolder(
  { root, shown }: FileLocation,
  folder: Folder,
  signal: AbortSignal | undefined,
): Promise<number> {
  const found: { names: readonly string[]; isFolder: boolean }[] = [];
  const { isCut, holdsProtected } = await walkTree(root, folder, {
    maxEntries,
    signal,
    visit: ({ names, type }) => void found.push({ names, isFolder: type === "folder" }),
  });
  if (holdsProtected) throw fileError(shown, "contains files that are hidden from tools");
  if (isCut) throw fileError(shown, `has more than ${maxEntries} entries. Remove its subfolders first`);
  for (const { names, isFolder } of found.reverse()) await removeBelow(folder, names, isFolder);
  return found.length;
}

/** Enters each folder again, so that a folder replaced by a symbolic link is not followed. */
async function removeBelow(folder: Folder, names: readonly string[], isFolder: boolean): Promise<void> {
  const [first = ".", ...rest] = names;
  if (rest.length === 0) return isFolder ? rmdir(folder.at(first)) : unlink(folder.at(first));
  await using inner = await folder.enter(first);
  await removeBelow(inner, rest, isFolder);
}
