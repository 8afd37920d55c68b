import { constants, existsSync } from "node:fs";
import type { Stats } from "node:fs";
import { lstat, open, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { BiplaneError } from "../../errors.ts";

/** A folder that was reached by entering one folder after another, never through a link. */
export interface Folder extends AsyncDisposable {
  /** A path by which the system finds `name` in this folder. */
  at(name: string): string;
  enter(name: string): Promise<Folder>;
  /** Throws unless `opened` is what `name` in this folder is; `isAllowed` judges the name the disk knows it by. */
  confirm(name: string, opened: Stats | undefined, isAllowed: (name: string) => boolean): Promise<void>;
}

/** Whether folders can be held open and used by descriptor, so that nobody can swap them in between. */
export const canHoldFolders = process.platform === "linux" && existsSync("/proc/self/fd");

export function openFolder(path: string, isHeld = canHoldFolders): Promise<Folder> {
  return isHeld ? holdFolder(path) : nameFolder(path);
}

/** Linux: `/proc/self/fd/7/name` means `name` in the folder that is open as 7, wherever it has been moved to. */
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

/** Elsewhere: a folder is its real path, and what was opened is compared with what the path leads to afterwards. */
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

function swapped(): BiplaneError {
  return new BiplaneError("EXECUTION_ERROR", "The path was changed while it was being used");
}
