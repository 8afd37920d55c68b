import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import type { Stats } from "node:fs";
import { lstat, open, rename, unlink } from "node:fs/promises";
import { withFileErrors } from "./file-errors.ts";
import { statsIn } from "./folder.ts";
import { draftPrefix } from "./names.ts";
import { requireRegularFile } from "./read-file.ts";
import type { FileLocation } from "./root.ts";

/** Writes a file atomically. Readers see the old or the new content, and a failure keeps the old. */
export function writeFile(location: FileLocation, bytes: Uint8Array): Promise<{ isNew: boolean }> {
  return withFileErrors(location.shown, "write", async () => {
    const { folder, name } = location;
    const before = await statsIn(folder, name);
    if (before) requireRegularFile(location, before);
    const draft = folder.at(`${draftPrefix}${randomUUID()}`);
    try {
      await writeDraft(draft, bytes, before);
      await folder.confirm(name, before, (real) => location.root.isAllowed(real));
      await rename(draft, folder.at(name));
    } catch (error) {
      await unlink(draft).catch(() => {});
      throw error;
    }
    return { isNew: before === undefined };
  });
}

/** Runs `change` while no other writer uses the same file. */
export async function withFileLock<T>(location: FileLocation, change: () => Promise<T>): Promise<T> {
  const { dev, ino } = await lstat(location.folder.at("."));
  return location.root.locks.run(`${dev}:${ino}/${location.name}`, change);
}

async function writeDraft(draft: string, bytes: Uint8Array, before: Stats | undefined): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  await using handle = await open(draft, flags, before ? 0o600 : 0o644);
  await handle.writeFile(bytes);
  if (before) {
    if (process.getuid?.() === 0) await handle.chown(before.uid, before.gid);
    await handle.chmod(before.mode & 0o777);
  }
  await handle.datasync();
}
