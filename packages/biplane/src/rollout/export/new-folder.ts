import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { BiplaneError } from "@biplane/core";

/** Writes a new folder. `write` gets the path of a draft; the folder appears only when it is complete. */
export async function writeNewFolder(folder: string, write: (draft: string) => Promise<void>): Promise<void> {
  const target = resolve(folder);
  await mkdir(dirname(target), { recursive: true });
  const draft = await mkdtemp(`${target}.`);
  try {
    await write(draft);
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    const code = (error as NodeJS.ErrnoException).code;
    throw code === "ENOTEMPTY" || code === "EEXIST" || code === "ENOTDIR" ? isTaken(target) : error;
  }
}

/** Throws if a folder cannot be written because it exists and is not empty. */
export async function checkNewFolder(folder: string): Promise<void> {
  const target = resolve(folder);
  const found = await readdir(target).catch((error: NodeJS.ErrnoException) =>
    error.code === "ENOENT" ? [] : [target],
  );
  if (found.length > 0) throw isTaken(target);
}

/** One JSON value per line. */
export function jsonLines(lines: readonly unknown[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

function isTaken(target: string): BiplaneError {
  return new BiplaneError("INVALID_INPUT", `${target} already exists. Choose another folder.`);
}
