import { execFileSync } from "node:child_process";
import { chmodSync, existsSync } from "node:fs";
import type { Playground } from "../files/playground.ts";

/** Runs git as a person would, with a clean config of their own. */
export function git(folder: string, ...command: string[]): string {
  const who = { GIT_AUTHOR_NAME: "Ada", GIT_AUTHOR_EMAIL: "ada@example.org" };
  const committer = { GIT_COMMITTER_NAME: "Ada", GIT_COMMITTER_EMAIL: "ada@example.org" };
  return execFileSync("git", ["-c", "protocol.file.allow=always", "-C", folder, ...command], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], HOME: folder, GIT_CONFIG_NOSYSTEM: "1", ...who, ...committer },
  });
}

/** A command that leaves a trace when anyone runs it. */
export class Tripwire {
  readonly command: string;
  readonly #mark: string;

  constructor(playground: Playground) {
    this.#mark = playground.at("TRIPPED");
    this.command = playground.write("tripwire.sh", `#!/bin/sh\necho "$0 $*" >> '${this.#mark}'\ncat\n`);
    chmodSync(this.command, 0o755);
  }

  get wasTripped(): boolean {
    return existsSync(this.#mark);
  }

  /** Every setting of git that names a command, and what switches filters on. */
  get config(): string {
    const run = this.command;
    return `
[core]
  fsmonitor = ${run}
  hooksPath = ${run.replace("tripwire.sh", "hooks")}
  sshCommand = ${run}
  gitProxy = ${run}
  pager = ${run}
  editor = ${run}
  askPass = ${run}
  alternateRefsCommand = ${run}
[credential]
  helper = ${run}
[filter "trap"]
  clean = ${run}
  smudge = ${run}
  process = ${run}
  required = true
[diff]
  external = ${run}
[diff "trap"]
  textconv = ${run}
  command = ${run}
[merge "trap"]
  driver = ${run} %O %A %B
[gpg]
  program = ${run}
[commit]
  gpgSign = true
[log]
  showSignature = true
[sequence]
  editor = ${run}
[pager]
  log = ${run}
  diff = ${run}
  show = ${run}
  branch = ${run}
  status = ${run}
[uploadpack]
  packObjectsHook = ${run}
[url "ext::${run}"]
  insteadOf = /
[protocol "ext"]
  allow = always
[alias]
  status = !${run}
[submodule]
  recurse = true
[include]
  path = ${run.replace("tripwire.sh", "more.config")}
`;
  }

  /** Puts it wherever git looks for commands in a repository. */
  plant(playground: Playground, gitFolder: string): void {
    const hooks = ["pre-commit", "commit-msg", "prepare-commit-msg", "post-commit", "pre-rebase", "post-checkout"];
    const more = [
      "post-merge",
      "pre-push",
      "post-rewrite",
      "reference-transaction",
      "fsmonitor-watchman",
      "post-index-change",
    ];
    const remote = ["pre-receive", "update", "post-receive", "post-update", "proc-receive", "push-to-checkout"];
    for (const folder of [`${gitFolder}/hooks`, "hooks"]) {
      for (const hook of [...hooks, ...more, ...remote]) {
        chmodSync(playground.write(`${folder}/${hook}`, `#!/bin/sh\nexec '${this.command}'\n`), 0o755);
      }
    }
    playground.write("more.config", `[core]\n  fsmonitor = ${this.command}\n`);
    playground.write(`${gitFolder}/config`, playground.read(`${gitFolder}/config`) + this.config);
    playground.write(`${gitFolder}/info/attributes`, "* filter=trap diff=trap merge=trap\n");
  }
}
