import type { Dirent } from "node:fs";
import { opendir } from "node:fs/promises";
import { naming, refuse } from "./file-fault.ts";
import type { Folder } from "./folder.ts";
import type { Place, Root } from "./root.ts";

export interface Entry {
  readonly name: string;
  readonly type: "file" | "folder" | "link" | "other";
}

export interface Entries {
  readonly entries: Entry[];
  /** There are more. */
  readonly isCut: boolean;
  /** Some are kept from tools. */
  readonly holdsProtected: boolean;
}

/** What is in a folder, sorted by name; what is kept from tools is not there. */
export async function entriesOf(root: Root, folder: Folder, most: number): Promise<Entries> {
  const entries: Entry[] = [];
  let isCut = false;
  let holdsProtected = false;
  // A folder may hold millions of files, so it is read as a stream.
  for await (const entry of await opendir(folder.at("."), { bufferSize: 256 })) {
    if (!root.isAllowed(entry.name)) {
      holdsProtected = true;
      continue;
    }
    if (entries.length === most) {
      isCut = true;
      break;
    }
    entries.push({ name: entry.name, type: typeOf(entry) });
  }
  return { entries: entries.sort((one, other) => (one.name < other.name ? -1 : 1)), isCut, holdsProtected };
}

/** Enters the folder at a place for as long as `use` runs. */
export function withFolder<T>(place: Place, use: (folder: Folder) => Promise<T>): Promise<T> {
  return naming(place.shown, "list", async () => {
    if (!place.stats) throw refuse(place.shown, "does not exist");
    if (!place.stats.isDirectory()) throw refuse(place.shown, "is not a folder");
    if (place.name === ".") return use(place.folder);
    await using folder = await place.folder.enter(place.name);
    return await use(folder);
  });
}

function typeOf(entry: Dirent): Entry["type"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "link" : "other";
}
