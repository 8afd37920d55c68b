import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { forkCommand, stopCommand } from "../app/fork-command.ts";
import { watchSources } from "../app/watch-sources.ts";
import { cleanLine } from "../terminal/clean-text.ts";
import { watchedVariable } from "./watched.ts";
import type { FromWatched, Watched } from "./watched.ts";

/**
 * Runs the same command in another process, without watching, and starts it again when one of its files changes.
 * `files` are watched from the start: the config file and what the command line names.
 */
export async function watchServe(files: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "biplane-watch-"));
  const stopped = new Promise<undefined>((done) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => done(undefined));
  });
  const changes = new Changes();
  try {
    await using watch = await watchSources([], (changed) => changes.add(changed));
    watch.add(files.map((file) => resolve(file)));
    let changed: readonly string[] | undefined = [];
    let port: string | undefined;
    while (changed) {
      const child = start({ changed, store: join(folder, "store.db"), port });
      child.on("message", (message: FromWatched) => {
        if (message.kind === "up") port = message.port;
        else watch.add([...message.modules, ...message.sources], message.modules);
      });
      changed = await Promise.race([stopped, changes.next(), failed(child, changed)]);
      await stopCommand(child);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function start(watched: Watched): ChildProcess {
  const changed = namesOf(watched.changed);
  return forkCommand({ env: { [watchedVariable]: JSON.stringify({ ...watched, changed }) } });
}

function namesOf(files: readonly string[]): readonly string[] {
  return files.map((file) => relative("", file));
}

/** Resolves if the process ends by itself and without an error. After an error, the next change starts it again. */
async function failed(child: ChildProcess, changed: readonly string[]): Promise<undefined> {
  const [code] = (await once(child, "exit")) as [number | null];
  if (code === 0 || child.killed) return undefined;
  const reason = changed.length === 0 ? "" : `${cleanLine(namesOf(changed).join(", "))} changed. `;
  process.stderr.write(`  ${reason}Not running; it starts again when a file changes.\n`);
  return new Promise(() => undefined);
}

/** Changed files that have not been reported yet. */
class Changes {
  #files: readonly string[] = [];
  #wake: (() => void) | undefined;

  add(files: readonly string[]): void {
    this.#files = [...this.#files, ...files];
    this.#wake?.();
  }

  async next(): Promise<readonly string[]> {
    if (this.#files.length === 0) await new Promise<void>((wake) => (this.#wake = wake));
    const files = this.#files;
    this.#files = [];
    return files;
  }
}
