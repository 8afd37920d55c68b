import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
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

/**
 * A folder below `.cache` that is made once for each state of its sources, and stays as it was made. Test files that need
 * it while another makes it wait, instead of making it too.
 */
export async function madeOnce(name: string, { sources, make }: MadeOnce): Promise<string> {
  const cache = join(root, ".cache", name);
  const folder = join(cache, stateOf(sources));
  if (existsSync(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const lock = `${folder}.lock`;
  while (!isFree(lock)) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    if (existsSync(folder)) return folder;
  }
  try {
    if (existsSync(folder)) return folder;
    const fresh = await mkdtemp(join(cache, "making-"));
    try {
      await make(fresh);
      await rename(fresh, folder);
      await deleteOld(cache);
    } finally {
      await rm(fresh, { recursive: true, force: true });
    }
    return folder;
  } finally {
    await rm(lock, { force: true });
  }
}

/** Takes a lock, unless a process that still runs has it. */
function isFree(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    if (!isAlive(lock)) rmSync(lock, { force: true });
    return false;
  }
}

function isAlive(lock: string): boolean {
  try {
    const pid = Number(readFileSync(lock, "utf8"));
    // It is empty for a moment.
    return pid === 0 || process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** What was made for earlier states. */
async function deleteOld(cache: string): Promise<void> {
  const folders = readdirSync(cache).map((name) => join(cache, name));
  const madeAt = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
  const old = folders.filter((each) => Date.now() - madeAt(each) > 3_600_000);
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
