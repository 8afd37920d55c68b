import { constants } from "node:fs";
import { chmod, chown, lstat, mkdir, open, realpath, rename, rm, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { randomUUID } from "node:crypto";
import { BiplaneError } from "@biplane/core";
import { messageOf, readBoundedFile } from "@biplane/core/internal";

/** The text of a settings file. */
export interface Settings {
  /** The file, after symbolic links. */
  readonly path: string;
  readonly exists: boolean;
  readonly text: string;
}

/** Reads a settings file, which need not exist. A byte order mark stays in the text. */
export async function readSettings(file: string): Promise<Settings> {
  const path = await realpath(file).catch(() => file);
  try {
    const bytes = await readBoundedFile(path, { maxBytes: 32 * 1024 * 1024 });
    return { path, exists: true, text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    if (isMissing && !(await isLink(file))) return { path, exists: false, text: "" };
    throw new BiplaneError("INVALID_DEFINITION", `Cannot read ${file}: ${messageOf(error)}. Nothing was written.`, {
      cause: error,
    });
  }
}

/** Replaces a settings file at once. Throws if it is no longer what was read. */
export async function writeSettings(before: Settings, text: string): Promise<void> {
  const { path } = before;
  await mkdir(dirname(path), { recursive: true });
  const draft = join(dirname(path), `.${basename(path)}.${randomUUID().slice(0, 8)}.new`);
  try {
    await writeDraft(draft, text, before);
    await checkUnchanged(before);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Deletes a settings file that an install created. */
export async function deleteSettings(before: Settings): Promise<void> {
  await checkUnchanged(before);
  await unlink(before.path);
}

async function writeDraft(draft: string, text: string, { path, exists }: Settings): Promise<void> {
  // Settings may contain tokens, so that a new file is for its owner only.
  await using handle = await open(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  await handle.writeFile(text);
  await handle.datasync();
  if (!exists) return;
  const { mode, uid, gid } = await stat(path);
  if (process.getuid?.() === 0) await chown(draft, uid, gid);
  await chmod(draft, mode & 0o777);
}

async function checkUnchanged(before: Settings): Promise<void> {
  const now = await readSettings(before.path);
  if (now.text !== before.text || now.exists !== before.exists)
    throw new BiplaneError(
      "CONFLICT",
      `${before.path} changed while it was edited. Nothing was written. Run it again.`,
    );
}

async function isLink(file: string): Promise<boolean> {
  const about = await lstat(file).catch(() => undefined);
  return about?.isSymbolicLink() ?? false;
}
