import { randomUUID } from "node:crypto";
import { access, constants, link, lstat, mkdir, rename, rm, rmdir, unlink, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { BiplaneError } from "@biplane/core";
import type { ProjectFiles } from "./project.ts";

/** Writes all files or none. Never overwrites: existing files are an error that lists them. */
export async function writeProject(folder: string, files: ProjectFiles): Promise<void> {
  const target = resolve(folder);
  const there = await kindOfPath(target);
  if (there === "other")
    throw new BiplaneError("INVALID_INPUT", `${folder} exists and is not a folder. Use another name.`);
  await refuseExisting(target, folder, files);
  const parent = there === "folder" ? target : dirname(target);
  const made = there === "folder" ? undefined : await makeFolder(parent);
  await access(parent, constants.W_OK); // otherwise the error would name the draft folder
  const draft = join(parent, `.${basename(target)}-${randomUUID().slice(0, 8)}.new`);
  try {
    await makeFolder(draft);
    await writeAll(draft, files);
    if (there === "folder") await moveIn(draft, target, files);
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

async function refuseExisting(target: string, folder: string, files: ProjectFiles): Promise<void> {
  const names = Object.keys(files);
  const there = await Promise.all(
    names.map(async (name) => {
      const kind = await kindOfPath(join(target, name)).catch(() => "other");
      return kind !== "nothing";
    }),
  );
  const existing = names.filter((_, at) => there[at]);
  if (existing.length === 0) return;
  throw new BiplaneError(
    "INVALID_INPUT",
    `${folder} already has ${existing.join(", ")}. Nothing was written. Use another folder.`,
  );
}

async function writeAll(root: string, files: ProjectFiles): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text, { flag: "wx" });
  }
}

/** Moves the files into an existing folder with hard links, which unlike renames never replace a file. */
async function moveIn(draft: string, target: string, files: ProjectFiles): Promise<void> {
  const done: (() => Promise<void>)[] = [];
  try {
    for (const name of Object.keys(files)) {
      const path = join(target, name);
      const made = await mkdir(dirname(path), { recursive: true });
      if (made !== undefined) done.unshift(() => rmdir(made));
      await link(join(draft, name), path);
      done.unshift(() => unlink(path));
    }
  } catch (error) {
    for (const undo of done) await undo();
    throw error;
  }
}
