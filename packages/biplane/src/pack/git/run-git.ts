import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { devNull } from "node:os";
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { BiplaneError } from "@biplane/core";
import { secretMargin } from "../shared/shorten-text.ts";
import type { Redacting } from "../shared/shorten-text.ts";

export interface GitOptions {
  /** The git directory. Only its config is read, so untrusted users must not write there. */
  readonly gitFolder: string;
  readonly workTree: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** More settings, in the format of `-c`. */
  readonly settings?: readonly string[];
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
  /** Standard input. */
  readonly input?: string;
  /** Maximum output. More is truncated, and git is stopped. */
  readonly maxBytes?: number;
  /** Replaces a secret that would be divided where the output is truncated. */
  readonly redacting?: Redacting;
  /** Exit codes that are not failures (default: 0). */
  readonly expected?: readonly number[];
}

export interface GitResult {
  readonly code: number;
  readonly output: string;
  readonly isCut: boolean;
}

/** The environment that names the author of commits. */
export function authorEnvironment({ authorName, authorEmail }: { authorName: string; authorEmail: string }) {
  return {
    GIT_AUTHOR_NAME: authorName,
    GIT_AUTHOR_EMAIL: authorEmail,
    GIT_COMMITTER_NAME: authorName,
    GIT_COMMITTER_EMAIL: authorEmail,
  };
}

/** Runs git in a way that repository content cannot make it execute programs or prompt for input. */
export async function runGit(command: readonly string[], options: GitOptions): Promise<GitResult> {
  const { maxBytes = 1024 * 1024, timeoutMs = 30_000, signal, expected = [0], redacting } = options;
  signal?.throwIfAborted();
  const settings = [...safeSettings, ...(options.settings ?? [])].flatMap((setting) => ["-c", setting]);
  const child = spawn("git", ["--no-pager", "--literal-pathspecs", ...settings, ...command], {
    cwd: options.workTree,
    env: { ...bareEnvironment(options), ...options.environment },
    stdio: ["pipe", "pipe", "pipe"],
    // A separate process group, so that ssh and other children end with git.
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  // Git may exit without reading all input.
  child.stdin.on("error", () => {});
  child.stdin.end(options.input ?? "");
  const [verb = "git"] = command;
  const stop = () => endGroup(child);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    stop();
  }, timeoutMs);
  signal?.addEventListener("abort", stop, { once: true });
  try {
    const [output, stderr, code] = await Promise.all([
      collect(child.stdout, maxBytes + secretMargin, stop),
      collect(child.stderr, maxErrorBytes, () => {}),
      ended(child),
    ]);
    signal?.throwIfAborted();
    if (isLate) throw new BiplaneError("TIMEOUT", `git ${verb} timed out after ${timeoutMs} ms.`);
    const isCut = output.length > maxBytes;
    if (!isCut && !expected.includes(code)) throw gitFault(verb, code, `${linesOf(stderr)}\n${output.toString()}`);
    return { code, output: isCut ? beginning(output, maxBytes, redacting) : output.toString(), isCut };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}

/**
 * Disables every setting that can run a command: hooks, monitors, proxies, helpers, signing and editors. Filters, text
 * converters and merge drivers need a config entry, so they are off.
 */
const safeSettings: readonly string[] = [
  `core.hooksPath=${devNull}`,
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  `core.attributesFile=${devNull}`,
  "core.pager=cat",
  "core.editor=true",
  "core.gitProxy=",
  "core.askPass=true",
  "core.alternateRefsCommand=true",
  "core.sshCommand=ssh -F none -o BatchMode=yes -o StrictHostKeyChecking=yes -o ProxyCommand=none",
  "core.protectHFS=true",
  "core.protectNTFS=true",
  "credential.helper=",
  "protocol.allow=never",
  "protocol.ext.allow=never",
  "protocol.https.allow=always",
  "protocol.ssh.allow=always",
  "http.followRedirects=false",
  "transfer.fsckObjects=true",
  "submodule.recurse=false",
  "fetch.recurseSubmodules=false",
  "push.recurseSubmodules=no",
  "status.submoduleSummary=false",
  "diff.ignoreSubmodules=all",
  "commit.gpgSign=false",
  "tag.gpgSign=false",
  "log.showSignature=false",
  "gpg.program=false",
  "gc.auto=0",
  "maintenance.auto=false",
];

/** Passes only the variables for finding programs: no GIT_ variables, tokens or loader settings. */
function bareEnvironment({ gitFolder, workTree }: GitOptions): Record<string, string> {
  const kept = ["PATH", "TMPDIR", "SystemRoot", "TEMP", "SSH_AUTH_SOCK"];
  const own = kept.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(own),
    HOME: gitFolder,
    XDG_CONFIG_HOME: gitFolder,
    LC_ALL: "C.UTF-8",
    GIT_DIR: gitFolder,
    GIT_WORK_TREE: workTree,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_SYSTEM: devNull,
    GIT_CONFIG_GLOBAL: devNull,
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "true",
    SSH_ASKPASS: "true",
    GIT_EDITOR: "true",
    GIT_SEQUENCE_EDITOR: "true",
    GIT_PAGER: "cat",
    GIT_PROTOCOL_FROM_USER: "0",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_OPTIONAL_LOCKS: "0",
  };
}

/** The first `maxBytes` of a stream, and at least one more if it has more. */
async function collect(stream: Readable, maxBytes: number, onFull: () => void): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (bytes <= maxBytes) chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes && bytes - chunk.length <= maxBytes) onFull();
  }
  return Buffer.concat(chunks);
}

/** The text of the first `maxBytes`, without a part of a character. */
function beginning(output: Buffer, maxBytes: number, redacting: Redacting | undefined): string {
  const text = new StringDecoder("utf8").write(output.subarray(0, maxBytes));
  return redacting?.redact(output.toString(), { start: 0, end: text.length }) ?? text;
}

function ended(child: ChildProcessWithoutNullStreams): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("error", (error: NodeJS.ErrnoException) => {
      const why = error.code === "ENOENT" ? "git is not installed on this machine." : "git could not be started.";
      reject(new BiplaneError("NOT_SUPPORTED", why, { cause: error }));
    });
    child.once("close", (code) => resolve(code ?? -1));
  });
}

/** SIGTERM lets git remove its locks. SIGKILL follows if it does not exit. */
function endGroup(child: ChildProcessWithoutNullStreams): void {
  signalGroup(child, "SIGTERM");
  const timer = setTimeout(() => signalGroup(child, "SIGKILL"), graceMs);
  child.once("close", () => clearTimeout(timer));
}

const graceMs = 1000;

function signalGroup({ pid }: ChildProcessWithoutNullStreams, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, name);
  } catch (error) {
    // It has already exited.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Git's error output without a last line that was cut. */
function linesOf(stderr: Buffer): string {
  const text = stderr.toString();
  return stderr.length > maxErrorBytes ? text.slice(0, text.lastIndexOf("\n") + 1) : text;
}

const maxErrorBytes = 64 * 1024;

/** The first errors of git, without paths and URLs of this machine. Whole lines: half a secret would not be found. */
function gitFault(verb: string, code: number, stderr: string): BiplaneError {
  let left = 500;
  const errors = stderr
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => /^(fatal|error|CONFLICT|!|remote):?/.test(line))
    .slice(0, 5)
    .map((line) => line.replaceAll(/[a-z+]+:\/\/[^\s'"]+/gi, "<url>").replaceAll(/(?<![\w.>])\/[^\s'":;)]+/g, "<path>"))
    .filter((line) => (left -= line.length) >= 0)
    .join("; ");
  return new BiplaneError("EXECUTION_ERROR", `git ${verb} failed${errors ? `: ${errors}` : ` (exit code ${code})`}`, {
    details: { exitCode: code },
  });
}
