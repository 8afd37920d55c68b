import type { GitOptions, GitResult } from "./run-git.ts";

export interface StageOptions {
  /** Paths relative to the repository. */
  readonly paths: readonly string[];
  /** Includes untracked files. */
  readonly withNew: boolean;
  /** Throws to reject a file. */
  readonly check?: (path: string) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

export type RunGit = (command: readonly string[], options?: Partial<GitOptions>) => Promise<GitResult>;

/**
 * Stages changed files and returns their paths. `git add` does not return them, and some versions of it run git in
 * nested repositories with their config.
 */
export async function stageFiles(run: RunGit, options: StageOptions): Promise<string[]> {
  const { paths, withNew, check, signal } = options;
  const kinds = ["--modified", "--deleted", ...(withNew ? ["--others", "--exclude-standard"] : [])];
  const listed = await run(["ls-files", "-z", ...kinds, "--", ...paths], {
    maxBytes: 64 * 1024 * 1024,
    signal,
  });
  const files = [...new Set(listed.output.split("\0"))].filter((path) => path !== "" && !path.endsWith("/"));
  for (const path of files) await check?.(path);
  if (files.length === 0) return [];
  const input = files.map((path) => `${path}\0`).join("");
  await run(["update-index", "--add", "--remove", "-z", "--stdin"], { input, signal });
  return files;
}
