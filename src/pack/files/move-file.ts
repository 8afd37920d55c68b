import { link, lstat, rename, unlink } from "node:fs/promises";
import { naming, refuse } from "./file-fault.ts";
import type { Place } from "./root.ts";

/** Moves a file or folder to a name where nothing is. What is there is never replaced, not even by a race. */
export async function moveFile(from: Place, to: Place): Promise<void> {
  if (from.name === "." || to.name === ".") throw refuse(from.shown, "or its goal is the root itself, which stays");
  if (!from.stats) throw refuse(from.shown, "does not exist");
  if (to.stats) throw refuse(to.shown, "exists already");
  const [old, next] = [from.folder.at(from.name), to.folder.at(to.name)];
  await naming(from.shown, "move", async () => {
    const stats = await lstat(old);
    await from.folder.confirm(from.name, stats, (name) => from.root.isAllowed(name));
    await to.folder.confirm(to.name, undefined, () => true);
    // An empty folder is the most that the renaming of a folder can replace.
    if (stats.isDirectory()) return rename(old, next);
    if (!stats.isFile()) return moveOther(old, next);
    try {
      await link(old, next);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EEXIST") throw refuse(to.shown, "exists already");
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
