import type { Stats } from "node:fs";
import { lstat, mkdir, readdir, readlink } from "node:fs/promises";
import { posix, sep } from "node:path";
import { refuse } from "./file-fault.ts";
import type { Folder } from "./folder.ts";
import { nameFault } from "./names.ts";
import type { FindOptions, Place, Root } from "./root.ts";

/** Enters one folder after another. Links are read, not followed: what they say is walked like the rest, from inside. */
export async function walkPath(root: Root, names: readonly string[], options: FindOptions): Promise<Place> {
  const walk: Walk = { root, shown: root.show(names), folders: [await root.open()], names: [], ahead: [...names] };
  try {
    const last = await goAhead(walk, options);
    return {
      root,
      folder: lastFolder(walk),
      name: last?.name ?? ".",
      names: last ? [...walk.names, last.name] : walk.names,
      shown: walk.shown,
      stats: last ? last.stats : await lstat(lastFolder(walk).at(".")),
      [Symbol.asyncDispose]: () => leave(walk),
    };
  } catch (error) {
    await leave(walk);
    throw error;
  }
}

interface Walk {
  readonly root: Root;
  readonly shown: string;
  /** The folders entered so far, all held: the way back up is over them, never over `..` on disk. */
  readonly folders: Folder[];
  readonly names: string[];
  readonly ahead: string[];
}
interface Last {
  readonly name: string;
  readonly stats: Stats | undefined;
}

const mostLinks = 40;

async function goAhead(walk: Walk, options: FindOptions): Promise<Last | undefined> {
  let links = 0;
  for (let asked = walk.ahead.shift(); asked !== undefined; asked = walk.ahead.shift()) {
    if (asked === "..") {
      await goBack(walk);
      continue;
    }
    const folder = lastFolder(walk);
    const { name, stats } = await look(folder, asked);
    const isLast = walk.ahead.length === 0;
    if (stats?.isSymbolicLink() && !(isLast && options.keepLastLink)) {
      if (++links > mostLinks) throw refuse(walk.shown, "leads through too many links");
      await turnAt(walk, await readlink(folder.at(name)));
      continue;
    }
    if (isLast) return { name, stats };
    if (!stats && options.createFolders) await makeFolder(folder, name);
    else if (!stats) throw refuse(walk.shown, "does not exist");
    else if (!stats.isDirectory()) throw refuse(walk.shown, "goes through something that is not a folder");
    walk.folders.push(await folder.enter(name));
    walk.names.push(name);
  }
  return undefined;
}

/** A link that leads outside is refused before anything is asked of the disk, so that it tells nothing of what is there. */
async function turnAt(walk: Walk, target: string): Promise<void> {
  const { root, shown } = walk;
  let path = sep === "/" ? target : target.replaceAll(sep, "/");
  if (posix.isAbsolute(path) || /^[A-Za-z]:/.test(path)) {
    if (path !== root.realPath && !path.startsWith(`${root.realPath}/`)) throw outside(walk);
    path = path.slice(root.realPath.length);
    while (walk.folders.length > 1) await goBack(walk);
  }
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  const fault = names.find((name) => name !== ".." && nameFault(name, root.rules));
  if (fault !== undefined) throw refuse(shown, "is a link to what is kept from tools");
  if (walk.ahead.length + names.length > mostNames) throw refuse(shown, "leads through too many folders");
  walk.ahead.unshift(...names);
}

const mostNames = 256;

async function goBack(walk: Walk): Promise<void> {
  if (walk.folders.length === 1) throw outside(walk);
  walk.names.pop();
  await walk.folders.pop()?.[Symbol.asyncDispose]();
}

/** A name that is not there may be there in another spelling: é is one letter or two, and disks differ. */
async function look(folder: Folder, name: string): Promise<Last> {
  const stats = await lookAt(folder, name);
  if (stats || !/[^\0-\x7f]/.test(name)) return { name, stats };
  const alike = (await readdir(folder.at("."))).filter((other) => other.normalize() === name.normalize());
  const [only] = alike;
  return only !== undefined && alike.length === 1
    ? { name: only, stats: await lookAt(folder, only) }
    : { name, stats: undefined };
}

async function lookAt(folder: Folder, name: string): Promise<Stats | undefined> {
  try {
    return await lstat(folder.at(name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

async function makeFolder(folder: Folder, name: string): Promise<void> {
  try {
    await mkdir(folder.at(name), 0o755);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

function lastFolder(walk: Walk): Folder {
  const folder = walk.folders.at(-1);
  if (!folder) throw outside(walk);
  return folder;
}

function outside({ root, shown }: Walk): Error {
  return refuse(shown, `is a link that leads outside ${root.rules.prefix}, which is not followed`);
}

async function leave({ folders }: Walk): Promise<void> {
  await Promise.all(folders.map((folder) => folder[Symbol.asyncDispose]()));
}
