import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** `biplane serve` in a process of its own. */
export class ServerProcess {
  readonly port: number;
  readonly #store: string;
  readonly #key: string;
  #process: ChildProcess | undefined;

  constructor(port: number, store: string, key: string) {
    this.port = port;
    this.#store = store;
    this.#key = key;
  }

  async start(): Promise<void> {
    const main = fileURLToPath(new URL("../../packages/biplane/dist/main.js", import.meta.url));
    const listen = `http://127.0.0.1:${this.port}`;
    const started = spawn(
      process.execPath,
      [main, "serve", "--env", "frozen-lake", "--store", this.#store, "--url", listen],
      { env: { ...process.env, BIPLANE_SECRETS_KEY: this.#key }, stdio: ["ignore", "ignore", "pipe"] },
    );
    this.#process = started;
    let errors = "";
    started.stderr?.on("data", (chunk) => (errors += String(chunk)));
    while (!(await isReady(listen))) {
      if (started.exitCode !== null) throw new Error(`The server ended: ${errors}`);
      await pause(50);
    }
  }

  async kill(): Promise<void> {
    const ending = this.#process;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    const isOver = once(ending, "exit");
    ending.kill("SIGKILL");
    await isOver;
  }
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}
