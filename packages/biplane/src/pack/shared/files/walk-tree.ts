import { lstat } from "node:fs/promises";
import type { Folder } from "./folder.ts";
import { readFolder } from "./list-folder.ts";
import type { FolderListing, FolderEntry } from "./list-folder.ts";
import type { FileLocation, Root } from "./root.ts";

export interface TreeOptions {
  readonly maxEntries: number;
  readonly signal?: AbortSignal;
  /** Does not enter subfolders. */
  readonly isFlat?: boolean;
  /** Entries to skip. */
  readonly skip?: (names: readonly string[]) => boolean;
  /** Called for each entry. Return false to end the walk. */
  readonly visit: (entry: TreeEntry) => void | false | Promise<void | false>;
}

export interface TreeEntry extends FolderEntry {
  /** The path, relative to the start folder. */
  readonly names: readonly string[];
  /** Open only during the visit. */
  readonly folder: Folder;
}

/** Whether the walk was complete. */
export type TreeEnd = Omit<FolderListing, "entries">;

/** Visits everything below a folder, parents first. Symbolic links are visited, but not followed. */
export async function walkTree(root: Root, start: Folder, options: TreeOptions): Promise<TreeEnd> {
  const walk: TreeWalk = { root, options, left: options.maxEntries, isCut: false, holdsProtected: false };
  const isOver = !(await walkFolder(walk, start, []));
  return { isCut: walk.isCut || isOver, holdsProtected: walk.holdsProtected };
}

/** The location of a visited file, for reading it. */
export async function locationOf(root: Root, { folder, name }: TreeEntry, shown: string): Promise<FileLocation> {
  const stats = await lstat(folder.at(name)).catch(() => undefined);
  return { root, folder, name, names: [name], shown, stats, [Symbol.asyncDispose]: async () => {} };
}

interface TreeWalk {
  readonly root: Root;
  readonly options: TreeOptions;
  left: number;
  isCut: boolean;
  holdsProtected: boolean;
}

const deepest = 64;

/** False if `visit` ended the walk. */
async function walkFolder(walk: TreeWalk, folder: Folder, above: readonly string[]): Promise<boolean> {
  const { root, options } = walk;
  const { entries, isCut, holdsProtected } = await readFolder(root, folder, walk.left);
  walk.isCut ||= isCut;
  walk.holdsProtected ||= holdsProtected;
  walk.left -= entries.length;
  for (const entry of entries) {
    options.signal?.throwIfAborted();
    const names = [...above, entry.name];
    if (options.skip?.(names)) continue;
    if ((await options.visit({ ...entry, names, folder })) === false) return false;
    if (entry.type !== "folder" || options.isFlat) continue;
    if (above.length >= deepest) walk.isCut = true;
    else if (!(await enterFolder(walk, folder, names))) return false;
  }
  return true;
}

async function enterFolder(walk: TreeWalk, folder: Folder, names: readonly string[]): Promise<boolean> {
  const inner = await folder.enter(names.at(-1) ?? ".").catch(() => undefined);
  // Skip folders that vanished or are unreadable.
  if (!inner) return true;
  try {
    return await walkFolder(walk, inner, names);
  } finally {
    await inner[Symbol.asyncDispose]();
  }
}
