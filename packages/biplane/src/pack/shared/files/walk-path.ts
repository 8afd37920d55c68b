import type { Stats } from "node:fs";
import { lstat, mkdir, opendir, readlink } from "node:fs/promises";
import { posix, sep } from "node:path";
import { fileError } from "./file-errors.ts";
import { statsIn } from "./folder.ts";
import type { Folder } from "./folder.ts";
import { nameFault } from "./names.ts";
import type { FindOptions, FileLocation, Root } from "./root.ts";

/**
 * Resolves a path one folder at a time. The target of a symbolic link is resolved the same way, so it cannot leave the
 * root.
 */
export async function walkPath(root: Root, names: readonly string[], options: FindOptions): Promise<FileLocation> {
  const walk: Walk = { root, shown: root.show(names), folders: [await root.open()], names: [], ahead: [...names] };
  try {
    const last = await advance(walk, options);
    return {
      root,
      folder: lastFolder(walk),
      name: last?.name ?? ".",
      names: last ? [...walk.names, last.name] : walk.names,
      shown: walk.shown,
      stats: last ? last.stats : await lstat(lastFolder(walk).at(".")),
      [Symbol.asyncDispose]: () => closeFolders(walk),
    };
  } catch (error) {
    await closeFolders(walk);
    throw error;
  }
}

interface Walk {
  readonly root: Root;
  readonly shown: string;
  /** The open folders so far. `..` returns to the previous one and is never resolved by the disk. */
  readonly folders: Folder[];
  readonly names: string[];
  readonly ahead: string[];
}
interface Last {
  readonly name: string;
  readonly stats: Stats | undefined;
}

const maxLinks = 40;

async function advance(walk: Walk, options: FindOptions): Promise<Last | undefined> {
  let links = 0;
  for (let asked = walk.ahead.shift(); asked !== undefined; asked = walk.ahead.shift()) {
    if (asked === "..") {
      await goUp(walk);
      continue;
    }
    const folder = lastFolder(walk);
    const { name, stats } = await findName(folder, asked);
    const isLast = walk.ahead.length === 0;
    if (stats?.isSymbolicLink() && !(isLast && options.keepLastLink)) {
      if (++links > maxLinks) throw fileError(walk.shown, "leads through too many symbolic links");
      await followLink(walk, await readlink(folder.at(name)));
      continue;
    }
    if (isLast) return { name, stats };
    if (!stats && options.createFolders) await makeFolder(folder, name);
    else if (!stats) throw fileError(walk.shown, "does not exist");
    else if (!stats.isDirectory()) throw fileError(walk.shown, "has a parent that is not a folder");
    walk.folders.push(await folder.enter(name));
    walk.names.push(name);
  }
  return undefined;
}

/** Rejects a link that leads outside before accessing the disk, so that it reveals nothing. */
async function followLink(walk: Walk, target: string): Promise<void> {
  const { root, shown } = walk;
  let path = sep === "/" ? target : target.replaceAll(sep, "/");
  if (posix.isAbsolute(path) || /^[A-Za-z]:/.test(path)) {
    if (path !== root.realPath && !path.startsWith(`${root.realPath}/`)) throw outside(walk);
    path = path.slice(root.realPath.length);
    while (walk.folders.length > 1) await goUp(walk);
  }
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  const fault = names.find((name) => name !== ".." && nameFault(name, root.rules));
  if (fault !== undefined) throw fileError(shown, "is a symbolic link to a file that is hidden from tools");
  if (walk.ahead.length + names.length > maxNames) throw fileError(shown, "leads through too many folders");
  walk.ahead.unshift(...names);
}

const maxNames = 256;

async function goUp(walk: Walk): Promise<void> {
  if (walk.folders.length === 1) throw outside(walk);
  walk.names.pop();
  await walk.folders.pop()?.[Symbol.asyncDispose]();
}

/** Finds a name in another Unicode normalization, because file systems differ. */
async function findName(folder: Folder, name: string): Promise<Last> {
  const stats = await statsIn(folder, name);
  if (stats || !/[^\0-\x7f]/.test(name)) return { name, stats };
  const alike = await namesLike(folder, name.normalize());
  const [only] = alike;
  return only !== undefined && alike.length === 1
    ? { name: only, stats: await statsIn(folder, only) }
    : { name, stats: undefined };
}

/** Looks at a limited number of names, because a folder can have millions. */
async function namesLike(folder: Folder, normalized: string): Promise<string[]> {
  const alike: string[] = [];
  let left = maxLooked;
  for await (const { name } of await opendir(folder.at("."), { bufferSize: 256 })) {
    if (name.normalize() === normalized) alike.push(name);
    if (left-- === 0) break;
  }
  return alike;
}

const maxLooked = 20_000;

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
  return fileError(shown, `is a symbolic link that leads outside ${root.rules.prefix}`);
}

async function closeFolders({ folders }: Walk): Promise<void> {
  await Promise.all(folders.map((folder) => folder[Symbol.asyncDispose]()));
}
