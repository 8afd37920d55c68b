import { lstat } from "node:fs/promises";
import type { Folder } from "./folder.ts";
import { entriesOf } from "./list-folder.ts";
import type { Entries, Entry } from "./list-folder.ts";
import type { Place, Root } from "./root.ts";

export interface TreeOptions {
  readonly maxEntries: number;
  readonly signal?: AbortSignal;
  /** Stay in the folder itself. */
  readonly isFlat?: boolean;
  /** Folders that are not entered. */
  readonly skip?: (names: readonly string[]) => boolean;
  /** Called with one entry after the other; false ends the walk. */
  readonly visit: (entry: TreeEntry) => void | false | Promise<void | false>;
}

export interface TreeEntry extends Entry {
  /** The names that lead here from the folder the walk began in. */
  readonly names: readonly string[];
  /** Held only while the entry is visited. */
  readonly folder: Folder;
}

/** Whether a walk has seen everything. */
export type TreeEnd = Omit<Entries, "entries">;

/** Goes over everything below a folder, each folder before what is in it. Links are shown and never entered. */
export async function walkTree(root: Root, start: Folder, options: TreeOptions): Promise<TreeEnd> {
  const walk: TreeWalk = { root, options, left: options.maxEntries, isCut: false, holdsProtected: false };
  const isOver = !(await walkFolder(walk, start, []));
  return { isCut: walk.isCut || isOver, holdsProtected: walk.holdsProtected };
}

/** A file that a walk came by, as a place that can be read. */
export async function placeOf(root: Root, { folder, name }: TreeEntry, shown: string): Promise<Place> {
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

/** False where the walk was ended. */
async function walkFolder(walk: TreeWalk, folder: Folder, above: readonly string[]): Promise<boolean> {
  const { root, options } = walk;
  const { entries, isCut, holdsProtected } = await entriesOf(root, folder, walk.left);
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
  // What vanished or may not be read is left out, not a reason to stop.
  if (!inner) return true;
  try {
    return await walkFolder(walk, inner, names);
  } finally {
    await inner[Symbol.asyncDispose]();
  }
}
