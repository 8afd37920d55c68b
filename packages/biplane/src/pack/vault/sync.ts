import { mkdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { BiplaneError } from "@biplane/core";
import { quote } from "../shared/files/parse-path.ts";
import { KeyedLocks } from "../shared/files/keyed-locks.ts";
import { runGit } from "../git/run-git.ts";
import type { GitOptions, GitResult } from "../git/run-git.ts";
import { stageFiles } from "../git/stage-files.ts";
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
        await this.#pullNow(signal);
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
    await this.#locks.run("git", async () => {
      await this.#prepare(signal);
      await this.#git(["update-index", "--add", "--", path], signal);
      await this.#commit(message, signal);
      for (let attempt = 1; ; attempt++) {
        await this.#pullNow(signal);
        const { branch, address, pushing } = this.#remote;
        const refspec = `HEAD:refs/heads/${branch}`;
        const pushed = await this.#git(["push", "--quiet", ...pushing, "--", address, refspec], signal, {
          expected: attempt < maxAttempts ? [0, 1] : [0],
        });
        if (pushed.code === 0) return;
      }
    });
  }

  async #pullNow(signal: AbortSignal | undefined): Promise<void> {
    await this.#prepare(signal);
    // Commit local changes first, so that the rebase cannot lose them.
    await stageFiles((command, options) => this.#git(command, signal, options), { paths: ["."], withNew: false });
    await this.#commit("Local changes", signal);
    if (!(await this.#fetch(signal)) || !(await this.#hasCommits(signal))) return;
    try {
      await this.#git(["rebase", "--quiet", "--no-autostash", "--no-stat", "--no-gpg-sign", fetched], signal);
    } catch (error) {
      await this.#git(["rebase", "--abort"], undefined, { expected: [0, 1, 128] });
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
  async #fetch(signal: AbortSignal | undefined): Promise<boolean> {
    const { address, branch, fetching } = this.#remote;
    const listed = await this.#git(["ls-remote", ...fetching, "--", address, `refs/heads/${branch}`], signal, {
      timeoutMs: 8000,
    });
    if (listed.output.trim() === "") return false;
    const update = `+refs/heads/${branch}:${fetched}`;
    await this.#git(["fetch", "--quiet", "--no-tags", "--no-auto-gc", ...fetching, "--", address, update], signal, {
      timeoutMs: 15_000,
    });
    return true;
  }

  async #hasCommits(signal: AbortSignal | undefined): Promise<boolean> {
    const head = await this.#git(["rev-parse", "--verify", "--quiet", "HEAD"], signal, { expected: [0, 1] });
    return head.code === 0;
  }

  /**
   * First synchronization: adds the notes the vault lacks. Fails if a note differs, because either version could be
   * right.
   */
  async #adopt(signal: AbortSignal | undefined): Promise<void> {
    if ((await this.#hasCommits(signal)) || !(await this.#fetch(signal))) return;
    await this.#git(["read-tree", fetched], signal);
    await this.#git(["checkout-index", "--all", "--quiet"], signal, { expected: [0, 1, 128] });
    await this.#git(["update-index", "-q", "--refresh"], signal, { expected: [0, 1] });
    const options = ["--name-only", "-z", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"];
    const differing = (await this.#git(["diff", ...options], signal)).output.split("\0").filter(Boolean);
    if (differing.length > 0) throw differs(differing);
    await this.#git(["update-ref", `refs/heads/${this.#remote.branch}`, fetched], signal);
    this.#options.onPull();
  }

  async #commit(message: string, signal: AbortSignal | undefined): Promise<void> {
    const staged = await this.#git(
      ["diff", "--cached", "--quiet", "--no-ext-diff", "--ignore-submodules=all"],
      signal,
      {
        expected: [0, 1],
      },
    );
    if (staged.code === 0) return;
    const command = ["commit", "--quiet", "--no-verify", "--no-gpg-sign", "--no-status", `--message=${message}`];
    await this.#git([...command, "--cleanup=whitespace"], signal);
  }

  async #prepare(signal: AbortSignal | undefined): Promise<void> {
    if (this.#isReady) return;
    const { gitFolder, workTree } = this.#remote.git;
    await mkdir(gitFolder, { recursive: true, mode: 0o700 });
    if ((await realpath(gitFolder)).startsWith(`${workTree}/`)) {
      throw new BiplaneError("INVALID_DEFINITION", "The git data folder lies inside the vault. Choose another folder.");
    }
    if (!(await stat(join(gitFolder, "HEAD")).catch(() => undefined))) {
      await this.#git(["init", "--quiet", "--template=", `--initial-branch=${this.#remote.branch}`], signal);
    }
    // A crash may have left a rebase unfinished.
    const isRebasing = await stat(join(gitFolder, "rebase-merge")).catch(() => undefined);
    if (isRebasing) await this.#git(["rebase", "--abort"], signal);
    await this.#adopt(signal);
    this.#isReady = true;
  }

  #git(
    command: readonly string[],
    signal: AbortSignal | undefined,
    options: Partial<GitOptions> = {},
  ): Promise<GitResult> {
    const { git, author } = this.#remote;
    const environment = { ...git.environment, ...author };
    return runGit(command, { ...git, environment, ...(signal && { signal }), ...options });
  }
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
