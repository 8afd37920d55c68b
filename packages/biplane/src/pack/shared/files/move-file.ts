import { link, lstat, rename, unlink } from "node:fs/promises";
import { withFileErrors, fileError } from "./file-errors.ts";
import type { FileLocation } from "./root.ts";

/** Moves a file or folder. Never replaces an existing file, not even in a race. */
export async function moveFile(from: FileLocation, to: FileLocation): Promise<void> {
  if (from.name === "." || to.name === ".")
    throw fileError(from.shown, "or its destination is the root itself, which cannot be moved");
  if (!from.stats) throw fileError(from.shown, "does not exist");
  if (to.stats) throw fileError(to.shown, "already exists");
  const [old, next] = [from.folder.at(from.name), to.folder.at(to.name)];
  await withFileErrors(from.shown, "move", async () => {
    const stats = await lstat(old);
    await from.folder.confirm(from.name, stats, (name) => from.root.isAllowed(name));
    await to.folder.confirm(to.name, undefined, () => true);
    // Renaming a folder can at most replace an empty folder.
    if (stats.isDirectory()) return rename(old, next);
    if (!stats.isFile()) return moveOther(old, next);
    try {
      await link(old, next);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EEXIST") throw fileError(to.shown, "already exists");
      if (code !== undefined && cannotLink.has(code)) return moveOther(old, next);
      throw error;
    }
    await unlink(old);
  });
}

const cannotLink = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "EMLINK", "ENOSYS"]);

async function moveOther(old: string, next: string): Promise<void> {
  await rename(old, next);
}
