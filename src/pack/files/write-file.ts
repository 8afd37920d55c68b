import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import type { Stats } from "node:fs";
import { lstat, open, rename, unlink } from "node:fs/promises";
import { naming } from "./file-fault.ts";
import { draftPrefix } from "./names.ts";
import { mustBePlain } from "./read-file.ts";
import type { Place } from "./root.ts";

/** Puts a file in place whole: readers see the old bytes or the new ones, and a failure leaves the old. */
export function writeFile(place: Place, bytes: Uint8Array): Promise<{ isNew: boolean }> {
  return naming(place.shown, "write", async () => {
    const { folder, name } = place;
    const before = await statsNow(place);
    if (before) mustBePlain(place, before);
    const draft = folder.at(`${draftPrefix}${randomUUID()}`);
    try {
      await writeDraft(draft, bytes, before);
      await folder.confirm(name, before, (real) => place.root.isAllowed(real));
      await rename(draft, folder.at(name));
    } catch (error) {
      await unlink(draft).catch(() => {});
      throw error;
    }
    return { isNew: before === undefined };
  });
}

/** Lets nobody else write the same file until `change` is over. */
export async function inTurn<T>(place: Place, change: () => Promise<T>): Promise<T> {
  const { dev, ino } = await lstat(place.folder.at("."));
  return place.root.turns.take(`${dev}:${ino}/${place.name}`, change);
}

/** What is at a place by now. */
async function statsNow({ folder, name }: Place): Promise<Stats | undefined> {
  try {
    return await lstat(folder.at(name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
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
