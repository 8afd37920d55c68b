import { constants } from "node:fs";
import { lstat, mkdir, mkdtemp, open, readFile, rename, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BiplaneError } from "@biplane/core";
import type { Call } from "@biplane/core";
import type { Root } from "../shared/files/root.ts";
import { KeyedLocks } from "../shared/files/keyed-locks.ts";
import { runGit } from "./run-git.ts";
import type { RunGit } from "./stage-files.ts";
import type { GitOptions, GitResult } from "./run-git.ts";

/**
 * A repository whose own config is never read. Git runs with a shadow folder as its git directory, which has our config
 * and links to the repository's objects, refs and index.
 */
export class Repository implements AsyncDisposable {
  readonly root: Root;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #locks = new KeyedLocks();
  #shadow: Promise<string> | undefined;

  constructor(root: Root, environment: Readonly<Record<string, string>>) {
    this.root = root;
    this.#environment = environment;
  }

  get #own(): string {
    return join(this.root.realPath, ".git");
  }

  /** Runs a read-only command for a call. */
  read(
    command: readonly string[],
    call: Pick<Call, "signal" | "redact">,
    options: Partial<GitOptions> = {},
  ): Promise<GitResult> {
    return this.#locks.run("git", () => this.#run(command, { signal: call.signal, redacting: call, ...options }));
  }

  /** Runs commands that can change the index, a branch or HEAD. */
  change<T>(work: (run: RunGit) => Promise<T>): Promise<T> {
    return this.#locks.run("git", async () => {
      await this.#requireNoOperation();
      return await work(async (command, options = {}) => {
        const before = await this.#readHead();
        const result = await this.#run(command, options);
        const after = await readFile(join(await this.#shadowFolder(), "HEAD"), "utf8");
        if (after !== before) await this.#writeHead(after);
        return result;
      });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const shadow = await this.#shadow;
    if (shadow !== undefined) await rm(shadow, { recursive: true, force: true });
  }

  async #run(command: readonly string[], options: Partial<GitOptions>): Promise<GitResult> {
    await this.#check();
    const shadow = await this.#shadowFolder();
    await writeFile(join(shadow, "HEAD"), await this.#readHead());
    return runGit(command, {
      gitFolder: shadow,
      workTree: this.root.realPath,
      ...options,
      settings: [`core.excludesFile=${join(this.#own, "info", "exclude")}`, ...(options.settings ?? [])],
      environment: {
        ...this.#environment,
        GIT_OBJECT_DIRECTORY: join(this.#own, "objects"),
        GIT_INDEX_FILE: join(this.#own, "index"),
      },
    });
  }

  /** Rejects a repository that refers to data outside its folder. */
  async #check(): Promise<void> {
    for (const [name, kind] of layout) {
      const stats = await lstat(join(this.#own, name)).catch(() => undefined);
      if (kind === "absent" ? stats : !stats && kind !== "file") {
        throw unusable(
          kind === "absent" ? `.git/${name} refers to data outside the repository` : `.git/${name} is missing`,
        );
      }
      if (kind === "folder" && !stats?.isDirectory()) throw unusable(`.git/${name} is not a regular folder`);
      if (kind === "file" && stats && !stats.isFile()) throw unusable(`.git/${name} is not a regular file`);
    }
    if (/^\s*\[\s*extensions/im.test(await readFile(join(this.#own, "config"), "utf8").catch(() => ""))) {
      throw unusable("its config uses extensions, which are not supported");
    }
  }

  async #requireNoOperation(): Promise<void> {
    for (const name of [
      "MERGE_HEAD",
      "CHERRY_PICK_HEAD",
      "REVERT_HEAD",
      "rebase-merge",
      "rebase-apply",
      "BISECT_LOG",
    ]) {
      if (await lstat(join(this.#own, name)).catch(() => undefined)) {
        throw unusable(`an operation is in progress (${name}). Finish it first`);
      }
    }
  }

  #shadowFolder(): Promise<string> {
    return (this.#shadow ??= makeShadow(this.#own));
  }

  async #readHead(): Promise<string> {
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    await using handle = await open(join(this.#own, "HEAD"), flags).catch(() => {
      throw unusable(".git/HEAD cannot be read");
    });
    const head = (await handle.readFile("utf8")).slice(0, 1000);
    if (!/^(ref: refs\/heads\/[^\s\0]+|[0-9a-f]{40})\n?$/.test(head)) throw unusable(".git/HEAD has an unknown format");
    return head;
  }

  /** Writes `HEAD.lock` and renames it to `HEAD`, as git does. */
  async #writeHead(head: string): Promise<void> {
    const lock = join(this.#own, "HEAD.lock");
    await writeFile(lock, head, { flag: "wx" });
    await rename(lock, join(this.#own, "HEAD")).catch(async (error: unknown) => {
      await unlink(lock);
      throw error;
    });
  }
}

const layout: readonly (readonly [name: string, kind: "folder" | "file" | "absent"])[] = [
  [".", "folder"],
  ["objects", "folder"],
  ["refs", "folder"],
  ["index", "file"],
  ["packed-refs", "file"],
  ["shallow", "file"],
  ["info/exclude", "file"],
  ["config", "file"],
  ["commondir", "absent"],
  ["objects/info/alternates", "absent"],
  ["objects/info/http-alternates", "absent"],
];

async function makeShadow(own: string): Promise<string> {
  const shadow = await mkdtemp(join(tmpdir(), "biplane-git-"));
  await mkdir(join(shadow, "info"));
  await writeFile(
    join(shadow, "config"),
    "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tlogallrefupdates = false\n",
  );
  for (const name of ["refs", "packed-refs", "shallow"]) await symlink(join(own, name), join(shadow, name));
  return shadow;
}

function unusable(why: string): BiplaneError {
  return new BiplaneError("EXECUTION_ERROR", `The repository cannot be used: ${why}.`);
}
