import type { Dirent } from "node:fs";
import { opendir } from "node:fs/promises";
import { withFileErrors, fileError } from "./file-errors.ts";
import type { Folder } from "./folder.ts";
import type { FileLocation, Root } from "./root.ts";

export interface FolderEntry {
  readonly name: string;
  readonly type: "file" | "folder" | "link" | "other";
}

export interface FolderListing {
  readonly entries: FolderEntry[];
  /** True if there are more entries. */
  readonly isCut: boolean;
  /** True if some entries are hidden from tools. */
  readonly holdsProtected: boolean;
}

/** Reads a folder's entries, sorted by name, without those hidden from tools. */
export async function readFolder(root: Root, folder: Folder, maxEntries: number): Promise<FolderListing> {
  const entries: FolderEntry[] = [];
  let isCut = false;
  let holdsProtected = false;
  // A folder can have millions of files, so read it as a stream.
  for await (const entry of await opendir(folder.at("."), { bufferSize: 256 })) {
    if (!root.isAllowed(entry.name)) {
      holdsProtected = true;
      continue;
    }
    if (entries.length === maxEntries) {
      isCut = true;
      break;
    }
    entries.push({ name: entry.name, type: typeOf(entry) });
  }
  return { entries: entries.sort((one, other) => (one.name < other.name ? -1 : 1)), isCut, holdsProtected };
}

/** Opens the folder at a location while `use` runs. */
export function withFolder<T>(location: FileLocation, use: (folder: Folder) => Promise<T>): Promise<T> {
  return withFileErrors(location.shown, "list", async () => {
    if (!location.stats) throw fileError(location.shown, "does not exist");
    if (!location.stats.isDirectory()) throw fileError(location.shown, "is not a folder");
    if (location.name === ".") return use(location.folder);
    await using folder = await location.folder.enter(location.name);
    return await use(folder);
  });
}

function typeOf(entry: Dirent): FolderEntry["type"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "link" : "other";
}
