import { constants, existsSync } from "node:fs";
import type { Stats } from "node:fs";
import { lstat, open, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { BiplaneError } from "@biplane/core";

/** A folder that was reached without following a symbolic link. */
export interface Folder extends AsyncDisposable {
  /** The path of `name` in this folder, for file system calls. */
  at(name: string): string;
  enter(name: string): Promise<Folder>;
  /** Throws if `name` is not the file `opened`, or if its name on disk is not allowed. */
  confirm(name: string, opened: Stats | undefined, isAllowed: (name: string) => boolean): Promise<void>;
}

/** True if folders can be used by descriptor, which prevents swapping a folder during an operation. */
export const canHoldFolders = process.platform === "linux" && existsSync("/proc/self/fd");

export function openFolder(path: string, isHeld = canHoldFolders): Promise<Folder> {
  return isHeld ? holdFolder(path) : nameFolder(path);
}

/** Linux: `/proc/self/fd/7/name` is `name` in the folder open as descriptor 7, even if that folder was moved. */
async function holdFolder(path: string): Promise<Folder> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const at = (name: string) => `/proc/self/fd/${handle.fd}/${name}`;
  return {
    at,
    enter: (name) => holdFolder(at(name)),
    confirm: async () => {},
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

/** Other systems: uses real paths, and checks after opening that the path still leads to the same file. */
async function nameFolder(path: string): Promise<Folder> {
  const at = (name: string) => join(path, name);
  return {
    at,
    enter: async (name) => {
      const real = await realpath(at(name));
      if (dirname(real) !== path) throw swapped();
      return nameFolder(real);
    },
    confirm: async (name, opened, isAllowed) => {
      if ((await realpath(path)) !== path) throw swapped();
      if (!opened) return;
      const now = await lstat(at(name));
      const real = now.isSymbolicLink() ? at(name) : await realpath(at(name));
      const isSame = now.dev === opened.dev && now.ino === opened.ino && dirname(real) === path;
      if (!isSame || !isAllowed(basename(real))) throw swapped();
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

/** The state of a file now. Undefined if it does not exist. */
export async function statsIn(folder: Folder, name: string): Promise<Stats | undefined> {
  try {
    return await lstat(folder.at(name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function swapped(): BiplaneError {
  return new BiplaneError("EXECUTION_ERROR", "The path changed while it was in use.");
}
