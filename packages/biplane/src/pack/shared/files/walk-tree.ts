import { lstat } from "node:fs/promises";
import type { Folder } from "./folder.ts";
import { readFolder } from "./list-folder.ts";
import type { FolderListing, FolderEntry } from "./list-folder.ts";
import type { FileLocation, Root } from "./root.ts";

export interface TreeOptions {
  readonly maxEntries: number;
  readonly signal?: AbortSignal | undefined;
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
  const { maxEntries, signal, isFlat, skip, visit } = options;
  let left = maxEntries;
  let isCut = false;
  let holdsProtected = false;
  /** False if `visit` ended the walk. */
  const walk = async (folder: Folder, above: readonly string[]): Promise<boolean> => {
    const listing = await readFolder(root, folder, left);
    isCut ||= listing.isCut;
    holdsProtected ||= listing.holdsProtected;
    left -= listing.entries.length;
    for (const entry of listing.entries) {
      signal?.throwIfAborted();
      const names = [...above, entry.name];
      if (skip?.(names)) continue;
      if ((await visit({ ...entry, names, folder })) === false) return false;
      if (entry.type !== "folder" || isFlat) continue;
      if (above.length >= deepest) {
        isCut = true;
        continue;
      }
      // Skip folders that vanished or are unreadable.
      await using inner = await folder.enter(entry.name).catch(() => undefined);
      if (inner && !(await walk(inner, names))) return false;
    }
    return true;
  };
  const isOver = !(await walk(start, []));
  return { isCut: isCut || isOver, holdsProtected };
}

const deepest = 64;

/** The location of a visited file, for reading it. */
export async function locationOf(root: Root, { folder, name }: TreeEntry, shown: string): Promise<FileLocation> {
  const stats = await lstat(folder.at(name)).catch(() => undefined);
  return { root, folder, name, names: [name], shown, stats, [Symbol.asyncDispose]: async () => {} };
}
