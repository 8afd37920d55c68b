import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export interface ServerProcessOptions {
  readonly port: number;
  /** Of `biplane serve`, without the address. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** `biplane serve` in a process of its own. */
export class ServerProcess {
  readonly port: number;
  readonly #options: ServerProcessOptions;
  #process: ChildProcess | undefined;

  constructor(options: ServerProcessOptions) {
    this.port = options.port;
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  async start(): Promise<void> {
    const main = fileURLToPath(new URL("../../packages/biplane/dist/main.js", import.meta.url));
    const listen = `http://127.0.0.1:${this.port}`;
    const { args, env } = this.#options;
    const started = spawn(process.execPath, [main, "serve", ...args, "--url", listen], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#process = started;
    let errors = "";
    started.stderr.on("data", (chunk) => (errors = `${errors}${String(chunk)}`.slice(-4000)));
    while (!(await isReady(listen))) {
      if (started.exitCode !== null || started.signalCode !== null) throw new Error(`The server ended: ${errors}`);
      await pause(50);
    }
  }

  /** Ends the process: at once, or with SIGTERM after its running calls. */
  async end(signal: "SIGKILL" | "SIGTERM" = "SIGKILL"): Promise<void> {
    const ending = this.#process;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    const isOver = once(ending, "exit");
    ending.kill(signal);
    await isOver;
  }

  /** The process does nothing for a while, and does not know that. */
  async pause(ms: number): Promise<void> {
    this.#process?.kill("SIGSTOP");
    await pause(ms);
    this.#process?.kill("SIGCONT");
  }
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}
