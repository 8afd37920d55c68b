import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { BiplaneError } from "../errors.ts";
import type { Channel, ChannelListener } from "./channel.ts";
import { findCommand } from "./find-command.ts";
import { stdioChannel } from "./stdio.ts";
import { UnsentBytes } from "./unsent-limit.ts";
import { cutBetweenWords } from "../bounds/cut-between-words.ts";

export interface ProcessOptions {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Added to a small allowlist of variables. Nothing else of this process's environment is passed on. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  readonly maxMessageBytes: number;
  /** How long the child may take to exit after its input ends, and again after SIGTERM. */
  readonly graceMs: number;
  readonly onStderr?: ((line: string) => void) | undefined;
}

/**
 * A channel over the standard streams of a child process. The child leads its own process group. A shell in that group
 * kills it if this process dies, however it dies.
 */
export class ProcessChannel implements Channel {
  /** Resolves when the process and all its descendants have ended. */
  readonly closed: Promise<void>;
  readonly #options: ProcessOptions;
  readonly #child: ChildProcess;
  readonly #channel: Channel;
  readonly #unsent: UnsentBytes;
  readonly #lastLines: string[] = [];
  #ending = "";
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(listener: ChannelListener, options: ProcessOptions) {
    this.#options = options;
    this.#child = start(options);
    const { stdout, stdin, stderr } = this.#child as { stdout: Readable; stdin: Writable; stderr: Readable };
    this.#unsent = new UnsentBytes(() => stdin.writableLength);
    this.#channel = stdioChannel(
      {
        onMessage: (text) => listener.onMessage(text),
        onOversize: () => listener.onOversize(),
        onClose: () => undefined,
      },
      { input: stdout, output: stdin, maxMessageBytes: options.maxMessageBytes },
    );
    this.#readStderr(stderr);
    this.closed = new Promise((resolve) => {
      this.#child.once("error", (error) => (this.#ending ||= `could not be started: ${error.message}`));
      this.#child.once("exit", (code, signal) => {
        this.#ending ||= signal ? `was ended by ${signal}` : `ended with code ${code}`;
        this.#signalGroup("SIGKILL");
      });
      this.#child.once("close", () => {
        this.#isOver = true;
        clearTimeout(this.#timer);
        for (const stream of this.#child.stdio) stream?.destroy();
        listener.onClose();
        resolve();
      });
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  send(message: string | Uint8Array): void {
    if (this.#isOver) return;
    this.#unsent.send(() => this.#channel.send(message));
    if (!this.#unsent.isTooMuch) return;
    this.#ending ||= "was ended because it did not read its input";
    this.#signalGroup("SIGKILL");
  }

  /** Closes the child's input, then escalates to SIGTERM and SIGKILL. */
  close(): void {
    if (this.#isOver || this.#timer) return;
    this.#child.stdin?.end();
    this.#timer = setTimeout(() => {
      this.#signalGroup("SIGTERM");
      this.#timer = setTimeout(() => this.#signalGroup("SIGKILL"), this.#options.graceMs);
    }, this.#options.graceMs);
  }

  /** How the process ended, with its last lines on stderr. */
  explain(): string {
    const lines = this.#lastLines.length > 0 ? `. Last lines on stderr:\n  ${this.#lastLines.join("\n  ")}` : "";
    return `${JSON.stringify(this.#options.command)} ${this.#ending || "is running"}${lines}`;
  }

  #readStderr(stderr: Readable): void {
    let rest = "";
    const keep = (line: string) => {
      if (line.trim() === "") return;
      this.#lastLines.push(cutBetweenWords(line, 500));
      if (this.#lastLines.length > 10) this.#lastLines.shift();
      try {
        this.#options.onStderr?.(line);
      } catch {
        // A listener that throws must not break the channel.
      }
    };
    stderr.setEncoding("utf8");
    stderr.on("error", () => undefined); // "end" or "close" follows.
    stderr.on("data", (chunk: string) => {
      const lines = (rest + chunk).split("\n");
      rest = (lines.pop() ?? "").slice(0, 10_000);
      for (const line of lines) keep(line.trimEnd());
    });
    stderr.on("end", () => keep(rest));
  }

  #signalGroup(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      if (process.platform === "win32") this.#child.kill(signal);
      else process.kill(-pid, signal);
    } catch {
      // The group no longer exists.
    }
  }
}

/** Waits for EOF on descriptor 3, gives the group time to exit, and kills the rest. */
const watchdog = '( { read -r _ || :; sleep "$0"; kill -9 "-$$"; } <&3 >/dev/null 2>&1 & ) ; exec "$@" 3<&-';

function start(options: ProcessOptions): ChildProcess {
  const { args = [], cwd = process.cwd(), graceMs } = options;
  const env = { ...inheritedVariables(), ...options.env };
  const command = locate(options, cwd, env["PATH"] ?? "");
  const hasShell = process.platform !== "win32" && existsSync("/bin/sh");
  if (!hasShell) return spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"], windowsHide: true });
  const shellArgs = ["-c", watchdog, String(Math.max(1, Math.round(graceMs / 1000))), command, ...args];
  return spawn("/bin/sh", shellArgs, { cwd, env, detached: true, stdio: ["pipe", "pipe", "pipe", "pipe"] });
}

function locate({ command }: ProcessOptions, cwd: string, path: string): string {
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `Cannot start ${JSON.stringify(command)}: folder ${cwd} does not exist.`,
    );
  }
  const file = findCommand(command, { path, cwd });
  if (file !== undefined) return file;
  const where = command.includes("/") ? "no such executable file" : `not found in PATH (${path})`;
  throw new BiplaneError("INVALID_DEFINITION", `Cannot start ${JSON.stringify(command)}: ${where}.`);
}

/** The variables most programs need. Secrets in this process's environment are not passed on. */
function inheritedVariables(): Record<string, string> {
  const wanted =
    /^(HOME|LOGNAME|PATH|SHELL|TERM|USER|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TEMP|TMP|APPDATA|LOCALAPPDATA|USERPROFILE|SYSTEMROOT|SYSTEMDRIVE|PROGRAMFILES|HOMEDRIVE|HOMEPATH|PATHEXT|COMSPEC)$/i;
  const found = Object.entries(process.env).filter(([name, value]) => wanted.test(name) && value !== undefined);
  return Object.fromEntries(found) as Record<string, string>;
}
