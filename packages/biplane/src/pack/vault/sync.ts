import { mkdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { BiplaneError } from "@biplane/core";
import { quote } from "../shared/files/parse-path.ts";
import { KeyedLocks } from "../shared/files/keyed-locks.ts";
import { runGit } from "../git/run-git.ts";
import { stageFiles } from "../git/stage-files.ts";
import type { RunGit } from "../git/stage-files.ts";
import type { GitRemote } from "./git-remote.ts";

export interface SyncOptions {
  readonly freshForMs: number;
  readonly now?: () => number;
  /** Called when notes may have changed on disk. */
  readonly onPull: () => void;
}

/**
 * Synchronizes a vault with a repository. Git's data and config lie outside the vault, so neither the vault nor the
 * repository can make git run commands.
 */
export class Sync {
  readonly #remote: GitRemote;
  readonly #options: SyncOptions;
  readonly #locks = new KeyedLocks();
  #isReady = false;
  #pulledAt = -Infinity;
  #failure: { readonly at: number; readonly fault: unknown } | undefined;

  constructor(remote: GitRemote, options: SyncOptions) {
    this.#remote = remote;
    this.#options = options;
  }

  /** Pulls, unless a pull succeeded or failed recently. */
  async pull(signal?: AbortSignal): Promise<void> {
    await this.#locks.run("git", async () => {
      const now = (this.#options.now ?? Date.now)();
      const { freshForMs } = this.#options;
      if (now - this.#pulledAt < freshForMs) return;
      // After a failure, do not make every reader wait for the network.
      if (this.#failure && now - this.#failure.at < freshForMs * 3) throw this.#failure.fault;
      try {
        await this.#pullNow(this.#git(signal), signal);
        this.#pulledAt = now;
        this.#failure = undefined;
      } catch (fault) {
        signal?.throwIfAborted();
        this.#failure = { at: now, fault };
        throw fault;
      }
    });
  }

  /** Commits one file and pushes. Pulls and retries if the remote has new commits. */
  async push(path: string, message: string, signal?: AbortSignal): Promise<void> {
    const { branch, address, pushing } = this.#remote;
    const git = this.#git(signal);
    await this.#locks.run("git", async () => {
      await this.#prepare(git);
      await git(["update-index", "--add", "--", path]);
      await commit(git, message);
      for (let attempt = 1; ; attempt++) {
        await this.#pullNow(git, signal);
        const expected = attempt < maxAttempts ? [0, 1] : [0];
        const command = ["push", "--quiet", ...pushing, "--", address, `HEAD:refs/heads/${branch}`];
        if ((await git(command, { expected })).code === 0) return;
      }
    });
  }

  async #pullNow(git: RunGit, signal: AbortSignal | undefined): Promise<void> {
    await this.#prepare(git);
    // Commit local changes first, so that the rebase cannot lose them.
    await stageFiles(git, { paths: ["."], withNew: false });
    await commit(git, "Local changes");
    if (!(await this.#fetch(git)) || !(await hasCommits(git))) return;
    try {
      await git(["rebase", "--quiet", "--no-autostash", "--no-stat", "--no-gpg-sign", fetched]);
    } catch (error) {
      await this.#git(undefined)(["rebase", "--abort"], { expected: [0, 1, 128] });
      signal?.throwIfAborted();
      throw new BiplaneError(
        "EXECUTION_ERROR",
        "The vault and its repository have conflicting changes. A person must merge them.",
        { cause: error },
      );
    } finally {
      this.#options.onPull();
    }
  }

  /** False if the remote does not have the branch yet. */
  async #fetch(git: RunGit): Promise<boolean> {
    const { address, branch, fetching } = this.#remote;
    const listed = await git(["ls-remote", ...fetching, "--", address, `refs/heads/${branch}`], { timeoutMs: 8000 });
    if (listed.output.trim() === "") return false;
    const command = ["fetch", "--quiet", "--no-tags", "--no-auto-gc", ...fetching, "--", address];
    await git([...command, `+refs/heads/${branch}:${fetched}`], { timeoutMs: 15_000 });
    return true;
  }

  /**
   * First synchronization: adds the notes the vault lacks. Fails if a note differs, because either version could be
   * right.
   */
  async #adopt(git: RunGit): Promise<void> {
    if ((await hasCommits(git)) || !(await this.#fetch(git))) return;
    await git(["read-tree", fetched]);
    await git(["checkout-index", "--all", "--quiet"], { expected: [0, 1, 128] });
    await git(["update-index", "-q", "--refresh"], { expected: [0, 1] });
    const options = ["--name-only", "-z", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"];
    const differing = (await git(["diff", ...options])).output.split("\0").filter(Boolean);
    if (differing.length > 0) throw differs(differing);
    await git(["update-ref", `refs/heads/${this.#remote.branch}`, fetched]);
    this.#options.onPull();
  }

  async #prepare(git: RunGit): Promise<void> {
    if (this.#isReady) return;
    const { gitFolder, workTree } = this.#remote.git;
    await mkdir(gitFolder, { recursive: true, mode: 0o700 });
    if ((await realpath(gitFolder)).startsWith(`${workTree}/`)) {
      throw new BiplaneError("INVALID_DEFINITION", "The git data folder lies inside the vault. Choose another folder.");
    }
    if (!(await stat(join(gitFolder, "HEAD")).catch(() => undefined))) {
      await git(["init", "--quiet", "--template=", `--initial-branch=${this.#remote.branch}`]);
    }
    // A crash may have left a rebase unfinished.
    const isRebasing = await stat(join(gitFolder, "rebase-merge")).catch(() => undefined);
    if (isRebasing) await git(["rebase", "--abort"]);
    await this.#adopt(git);
    this.#isReady = true;
  }

  #git(signal: AbortSignal | undefined): RunGit {
    const { git, author } = this.#remote;
    const shared = { ...git, environment: { ...git.environment, ...author }, ...(signal && { signal }) };
    return (command, options) => runGit(command, { ...shared, ...options });
  }
}

async function hasCommits(git: RunGit): Promise<boolean> {
  return (await git(["rev-parse", "--verify", "--quiet", "HEAD"], { expected: [0, 1] })).code === 0;
}

async function commit(git: RunGit, message: string): Promise<void> {
  const compare = ["diff", "--cached", "--quiet", "--no-ext-diff", "--ignore-submodules=all"];
  if ((await git(compare, { expected: [0, 1] })).code === 0) return;
  const command = ["commit", "--quiet", "--no-verify", "--no-gpg-sign", "--no-status", `--message=${message}`];
  await git([...command, "--cleanup=whitespace"]);
}

const maxAttempts = 3;
const fetched = "refs/biplane/fetched";

function differs(paths: readonly string[]): BiplaneError {
  const some = paths.slice(0, 5).map(quote).join(", ");
  return new BiplaneError(
    "EXECUTION_ERROR",
    `${paths.length} files of the vault differ from the repository (${some}). Make them equal, then the vault can be synchronized.`,
  );
}
