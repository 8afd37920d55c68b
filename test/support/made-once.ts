import { createHash } from "node:crypto";
import { existsSync, readdirSync, statSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface MadeOnce {
  /** Files and folders, from the root of the clone. */
  readonly sources: readonly string[];
  /** Fills an empty folder. */
  readonly make: (folder: string) => Promise<unknown>;
}

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A folder below `.cache` that is made once for each state of its sources, and stays as it was made. */
export async function madeOnce(name: string, { sources, make }: MadeOnce): Promise<string> {
  const cache = join(root, ".cache", name);
  const folder = join(cache, stateOf(sources));
  if (existsSync(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const fresh = await mkdtemp(join(cache, "making-"));
  try {
    await make(fresh);
    await rename(fresh, folder);
    await deleteOld(cache);
  } catch (fault) {
    await rm(fresh, { recursive: true, force: true });
    // Another test file may have been quicker.
    if (!existsSync(folder)) throw fault;
  }
  return folder;
}

/** What was made for earlier states. */
async function deleteOld(cache: string): Promise<void> {
  const folders = readdirSync(cache).map((name) => join(cache, name));
  const old = folders.filter((each) => Date.now() - statSync(each).mtimeMs > 3_600_000);
  await Promise.all(old.map((each) => rm(each, { recursive: true, force: true })));
}

function stateOf(sources: readonly string[]): string {
  const state = createHash("sha256");
  for (const path of sources.flatMap((each) => filesIn(join(root, each))).sort()) {
    const { size, mtimeMs } = statSync(path);
    state.update(`${path} ${size} ${mtimeMs}\n`);
  }
  return state.digest("hex").slice(0, 16);
}

function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}
