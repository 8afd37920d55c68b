import { randomUUID } from "node:crypto";
import { access, constants, link, lstat, mkdir, rename, rm, rmdir, unlink, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { BiplaneError } from "@biplane/core";
import type { ProjectFiles } from "./project.ts";

export interface WriteProjectOptions {
  /** Overwrites files that exist (default: they are an error that lists them). */
  readonly isForced?: boolean;
  /** What to do if files exist, for the error. */
  readonly hint?: string;
}

/** Writes all files or none. Without `isForced`, it never overwrites. */
export async function writeProject(
  folder: string,
  files: ProjectFiles,
  { isForced = false, hint = "Use another folder." }: WriteProjectOptions = {},
): Promise<void> {
  const target = resolve(folder);
  const there = await kindOfPath(target);
  if (there === "other")
    throw new BiplaneError("INVALID_INPUT", `${folder} exists and is not a folder. Use another name.`);
  if (!isForced)
    await refuseExisting(target, files, (names) => `${folder} already has ${names}. Nothing was written. ${hint}`);
  const parent = there === "folder" ? target : dirname(target);
  const made = there === "folder" ? undefined : await makeFolder(parent);
  await access(parent, constants.W_OK); // otherwise the error would name the draft folder
  const draft = join(parent, `.${basename(target)}-${randomUUID().slice(0, 8)}.new`);
  try {
    await makeFolder(draft);
    await writeAll(draft, files);
    if (there === "folder") await moveIn(draft, target, { files, isForced });
    else await rename(draft, target);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (made !== undefined) await rm(made, { recursive: true, force: true });
    throw error;
  }
  await rm(draft, { recursive: true, force: true });
}

/** Returns the topmost folder it created. Node's recursive mkdir loops forever where it cannot create one, as in /proc. */
async function makeFolder(path: string): Promise<string | undefined> {
  try {
    await mkdir(path);
    return path;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return undefined;
    if (code !== "ENOENT" || dirname(path) === path) throw error;
  }
  const above = await makeFolder(dirname(path));
  await mkdir(path);
  return above ?? path;
}

/** A dangling symbolic link counts as existing. */
async function kindOfPath(path: string): Promise<"folder" | "other" | "nothing"> {
  try {
    const about = await lstat(path);
    if (about.isSymbolicLink()) return (await lstat(join(path, "."))).isDirectory() ? "folder" : "other";
    return about.isDirectory() ? "folder" : "other";
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "nothing";
    throw error;
  }
}

async function refuseExisting(target: string, files: ProjectFiles, explain: (names: string) => string): Promise<void> {
  const names = Object.keys(files);
  const there = await Promise.all(
    names.map(async (name) => {
      const kind = await kindOfPath(join(target, name)).catch(() => "other");
      return kind !== "nothing";
    }),
  );
  const existing = names.filter((_, at) => there[at]);
  if (existing.length > 0) throw new BiplaneError("INVALID_INPUT", explain(existing.join(", ")));
}

async function writeAll(root: string, files: ProjectFiles): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text, { flag: "wx" });
  }
}

/** Moves the files into an existing folder. Unlike renames, hard links never replace a file. */
async function moveIn(
  draft: string,
  target: string,
  { files, isForced }: { readonly files: ProjectFiles; readonly isForced: boolean },
): Promise<void> {
  const done: (() => Promise<void>)[] = [];
  try {
    for (const name of Object.keys(files)) {
      const path = join(target, name);
      const made = await mkdir(dirname(path), { recursive: true });
      if (made !== undefined) done.unshift(() => rmdir(made));
      if (isForced) {
        await rename(join(draft, name), path);
        continue;
      }
      await link(join(draft, name), path);
      done.unshift(() => unlink(path));
    }
  } catch (error) {
    for (const undo of done) await undo();
    throw error;
  }
}
