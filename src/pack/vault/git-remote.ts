import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { isAbsolute, join, relative, resolve } from "node:path";
import { BiplaneError } from "../../errors.ts";
import type { GitOptions } from "../git/run-git.ts";
import { vaultGitDefaults } from "./options.ts";
import type { VaultGitOptions } from "./options.ts";

/** How a vault reaches the repository it is kept in step with. */
export interface GitRemote {
  readonly address: string;
  readonly branch: string;
  readonly author: Readonly<Record<string, string>>;
  readonly git: Pick<GitOptions, "gitFolder" | "workTree" | "settings" | "environment">;
  /** Options for fetch and for push. */
  readonly fetching: readonly string[];
  readonly pushing: readonly string[];
}

/** Checks the settings and keeps what is secret out of arguments, which every user of the machine can see. */
export function gitRemote(workTree: string, options: VaultGitOptions): GitRemote {
  const { repository, branch, authorName, authorEmail, token, sshKeyFile, knownHostsFile } = {
    ...vaultGitDefaults,
    ...options,
  };
  if (!/^[\w][\w./-]*$/.test(branch) || branch.includes("..")) throw invalid(`${branch} is not the name of a branch`);
  const gitFolder = resolve(options.folder ?? defaultFolder(workTree));
  if (isInside(gitFolder, workTree)) throw invalid("the folder of git's data must lie outside the vault");
  const kind = kindOf(repository);
  if (token !== undefined && kind !== "https") throw invalid("a token goes with an https address");
  const basic = token && Buffer.from(`x-access-token:${token}`).toString("base64");
  return {
    address: kind === "file" ? resolve(repository.replace(/^file:\/\//, "")) : repository,
    branch,
    author: {
      GIT_AUTHOR_NAME: authorName,
      GIT_AUTHOR_EMAIL: authorEmail,
      GIT_COMMITTER_NAME: authorName,
      GIT_COMMITTER_EMAIL: authorEmail,
    },
    git: {
      gitFolder,
      workTree,
      settings: [
        // A link in the repository becomes a file that names its goal, never a way out of the vault.
        "core.symlinks=false",
        "core.autocrlf=false",
        ...(kind === "file" ? ["protocol.file.allow=always", "safe.directory=*"] : []),
        ...(kind === "ssh" ? [`core.sshCommand=${sshCommand(sshKeyFile, knownHostsFile)}`] : []),
      ],
      environment: basic
        ? {
            GIT_CONFIG_COUNT: "1",
            GIT_CONFIG_KEY_0: "http.extraHeader",
            GIT_CONFIG_VALUE_0: `Authorization: Basic ${basic}`,
          }
        : {},
    },
    // On this machine the other side runs as us, and its hooks would too.
    fetching: kind === "file" ? [`--upload-pack=${quiet} upload-pack`] : [],
    pushing: kind === "file" ? [`--receive-pack=${quiet} receive-pack`] : [],
  };
}

/** What of the settings must never be shown. */
export function secretsOf({ token }: VaultGitOptions): Record<string, string> {
  if (token === undefined) return {};
  return { VAULT_GIT_TOKEN: token, VAULT_GIT_HEADER: Buffer.from(`x-access-token:${token}`).toString("base64") };
}

const quiet =
  "git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c core.alternateRefsCommand=true " +
  "-c gc.auto=0 -c receive.autogc=false -c safe.directory=*";

function kindOf(repository: string): "https" | "ssh" | "file" {
  if (/[\0-\x20]/.test(repository) && !isAbsolute(repository)) throw invalid("its address holds blanks");
  if (repository.startsWith("https://")) {
    const { username, password } = new URL(repository);
    if (username !== "" || password !== "") throw invalid("its address holds a password: use `token`");
    return "https";
  }
  if (/^ssh:\/\/[\w@.:[\]-]+\//.test(repository) || /^[\w.-]+@[\w.-]+:[^:-]/.test(repository)) return "ssh";
  if (isAbsolute(repository) || repository.startsWith("file:///") || /^\.{1,2}\//.test(repository)) return "file";
  throw invalid("its address is not https://…, ssh://…, user@host:path or a path on this machine");
}

function sshCommand(keyFile: string | undefined, knownHostsFile: string | undefined): string {
  const key = keyFile === undefined ? "" : ` -o IdentitiesOnly=yes -i ${shellWord(keyFile)}`;
  const hosts = shellWord(knownHostsFile ?? join(homedir(), ".ssh", "known_hosts"));
  return `ssh -F none -o BatchMode=yes -o StrictHostKeyChecking=yes -o UserKnownHostsFile=${hosts}${key}`;
}

function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function defaultFolder(workTree: string): string {
  const state = process.env["XDG_STATE_HOME"] ?? join(homedir(), ".local", "state");
  return join(state, "biplane", "vault", createHash("sha256").update(workTree).digest("hex").slice(0, 16));
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || !(way.startsWith("..") || isAbsolute(way));
}

function invalid(why: string): BiplaneError {
  return new BiplaneError("INVALID_DEFINITION", `the git repository of the vault: ${why}`);
}
