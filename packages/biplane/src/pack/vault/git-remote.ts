import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { isAbsolute, join, relative, resolve } from "node:path";
import { BiplaneError } from "@biplane/core";
import { authorEnvironment } from "../git/run-git.ts";
import type { VaultGitSettings } from "./options.ts";

/** How a vault accesses its remote repository. */
export type GitRemote = ReturnType<typeof gitRemote>;

/** Validates the options. Secrets go into the environment, because every user of the machine can see arguments. */
export function gitRemote(workTree: string, options: VaultGitSettings) {
  const { repository, branch, token, sshKeyFile, knownHostsFile } = options;
  if (!/^[\w][\w./-]*$/.test(branch) || branch.includes("..")) throw invalid(`${branch} is not a valid branch name`);
  const gitFolder = resolve(options.folder ?? defaultFolder(workTree));
  if (isInside(gitFolder, workTree)) throw invalid("the git data folder must lie outside the vault");
  const kind = kindOf(repository);
  if (token !== undefined && kind !== "https") throw invalid("a token needs an https URL");
  const basic = token && Buffer.from(`x-access-token:${token}`).toString("base64");
  return {
    address: kind === "file" ? resolve(repository.replace(/^file:\/\//, "")) : repository,
    branch,
    author: authorEnvironment(options),
    git: {
      gitFolder,
      workTree,
      settings: [
        // A symbolic link in the repository becomes a text file, so it cannot lead out of the vault.
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
    // The server side of a local repository runs as this user, so disable its hooks too.
    fetching: kind === "file" ? [`--upload-pack=${quiet} upload-pack`] : [],
    pushing: kind === "file" ? [`--receive-pack=${quiet} receive-pack`] : [],
  };
}

/** The secrets in the options, for redaction. */
export function secretsOf({ token }: VaultGitSettings): Record<string, string> {
  if (token === undefined) return {};
  return { VAULT_GIT_TOKEN: token, VAULT_GIT_HEADER: Buffer.from(`x-access-token:${token}`).toString("base64") };
}

const quiet =
  "git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c core.alternateRefsCommand=true " +
  "-c gc.auto=0 -c receive.autogc=false -c safe.directory=*";

function kindOf(repository: string): "https" | "ssh" | "file" {
  if (/[\0-\x20]/.test(repository) && !isAbsolute(repository)) throw invalid("its URL contains spaces");
  if (repository.startsWith("https://")) {
    const { username, password } = new URL(repository);
    if (username !== "" || password !== "") throw invalid("its URL contains a password; use `token` instead");
    return "https";
  }
  if (/^ssh:\/\/[\w@.:[\]-]+\//.test(repository) || /^[\w.-]+@[\w.-]+:[^:-]/.test(repository)) return "ssh";
  if (isAbsolute(repository) || repository.startsWith("file:///") || /^\.{1,2}\//.test(repository)) return "file";
  throw invalid("its URL is not https://…, ssh://…, user@host:path or a local path");
}

function sshCommand(keyFile: string | undefined, knownHostsFile: string | undefined): string {
  const key = keyFile === undefined ? "" : ` -o IdentitiesOnly=yes -i ${shellQuote(keyFile)}`;
  const hosts = shellQuote(knownHostsFile ?? join(homedir(), ".ssh", "known_hosts"));
  return `ssh -F none -o BatchMode=yes -o StrictHostKeyChecking=yes -o UserKnownHostsFile=${hosts}${key}`;
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function defaultFolder(workTree: string): string {
  const state = process.env["XDG_STATE_HOME"] ?? join(homedir(), ".local", "state");
  return join(state, "biplane", "vault", createHash("sha256").update(workTree).digest("hex").slice(0, 16));
}

function isInside(path: string, folder: string): boolean {
  const steps = relative(folder, path);
  return steps === "" || !(steps.startsWith("..") || isAbsolute(steps));
}

function invalid(why: string): BiplaneError {
  return new BiplaneError("INVALID_DEFINITION", `The vault's git repository: ${why}.`);
}
