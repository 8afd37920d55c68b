import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import { openStore } from "biplane/store";
import type { SqlStore } from "biplane/store";
import { findRun } from "../../packages/biplane/src/store/runs/run.ts";
import type { StoredRun } from "../../packages/biplane/src/store/runs/run.ts";
import { runHere, runIn } from "../cli/command.ts";
import { biplane, linkPackages, program } from "../support/project.ts";
import type { Ended } from "../support/project.ts";
import type { TestPostgres } from "../support/postgres.ts";

/** A folder with an environment, a new database, and the workers that play in them. */
export class Fleet implements AsyncDisposable {
  readonly folder: string;
  readonly url: string;
  readonly store: SqlStore;
  readonly workers: WorkerProcess[] = [];
  /** Variables of the workers. */
  env: Readonly<Record<string, string>> = {};

  private constructor(parts: { folder: string; url: string; store: SqlStore }) {
    this.folder = parts.folder;
    this.url = parts.url;
    this.store = parts.store;
  }

  static async open(postgres: TestPostgres): Promise<Fleet> {
    const folder = await projectFolder();
    const url = await postgres.database();
    return new Fleet({ folder, url, store: await openStore(url) });
  }

  /** Starts a worker, and waits until it takes rollouts. */
  async start(...words: string[]): Promise<WorkerProcess> {
    const worker = new WorkerProcess(this, words);
    this.workers.push(worker);
    await vi.waitUntil(() => worker.said.includes("plays up to"), { timeout: 60_000 });
    return worker;
  }

  run(...words: string[]): Promise<Ended> {
    return biplane(words, { cwd: this.folder, env: { BIPLANE_STORE: this.url }, timeoutMs: 3_600_000 });
  }

  /** Runs a command in this process, which is quicker. */
  here(...words: string[]): Promise<Ended> {
    const end = words.includes("--") ? words.indexOf("--") : words.length;
    return runHere(...words.slice(0, end), "--store", this.url, ...words.slice(end));
  }

  /** Queues a run and returns its id. */
  async queue(...words: string[]): Promise<string> {
    const queued = ["rollout", "--store", this.url, "--queue", "--no-wait", ...words];
    const { code, stderr } = await runIn(this.folder, queued, { BIPLANE_STORE: this.url });
    const [, run] = /^Queued \d+ rollouts as the run (\S+)\.\n$/.exec(stderr) ?? [];
    if (run === undefined || code !== 0) throw new Error(`The run was not queued: ${stderr}`);
    return run;
  }

  /** Waits until a run is over. */
  async over(run: string): Promise<StoredRun> {
    const isOver = async () => (await findRun(this.store, run)).status !== "running";
    await vi.waitUntil(isOver, { timeout: 3_600_000, interval: 200 });
    return findRun(this.store, run);
  }

  /** What a run recorded: one row for each rollout. */
  recorded(run: string) {
    return this.store.db
      .selectFrom("rollouts")
      .selectAll()
      .where("run", "=", run)
      .orderBy("row_index")
      .orderBy("repetition")
      .execute();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.end("SIGKILL")));
    await this.store.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** `biplane worker` in a process of its own. */
export class WorkerProcess {
  /** Its standard error. */
  said = "";
  readonly #process: ChildProcess;

  constructor({ folder, url, env }: Pick<Fleet, "folder" | "url" | "env">, words: readonly string[]) {
    this.#process = spawn(process.execPath, [program, "worker", ...words], {
      cwd: folder,
      env: { ...process.env, BIPLANE_STORE: url, ...env },
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#process.stderr?.on("data", (chunk) => (this.said += String(chunk)));
  }

  get isAlive(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  signal(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  /** Sends a signal, and returns the exit code when the process is gone. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    if (!this.isAlive) return this.#process.exitCode;
    const gone = once(this.#process, "exit");
    this.#process.kill(signal);
    await gone;
    return this.#process.exitCode;
  }

  /** Waits until the process ended by itself. */
  async gone(): Promise<void> {
    if (this.isAlive) await once(this.#process, "exit");
  }
}

/** A folder with the environment of these tests. */
export async function projectFolder(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "biplane-workers-"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "game.js"), game);
  writeFileSync(join(folder, "delay.js"), `export const delayMs = Number(process.env.DELAY_MS ?? 0);\n`);
  await linkPackages(folder);
  return folder;
}

/** Rows that give the environment a number each. */
export function writeRows(folder: string, count: number): string {
  const rows = Array.from({ length: count }, (_, number) => ({
    id: `row_${number}`,
    system_prompt: "",
    user_prompt_template: "",
    environment_context: { seed: number, number },
  }));
  writeFileSync(join(folder, "rows.jsonl"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  return "rows.jsonl";
}

/**
 * A game of chance. It waits while there is a file `hold`, and kills its process where there is a file
 * `poison-<number>`. Each episode that begins adds a line to `begun`.
 */
const game = `
import { appendFileSync, existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { environment } from "biplane";
import { delayMs } from "./delay.js";

export default environment({
  name: "game",
  version: "1.0.0",
  config: { type: "object", properties: { number: { type: "integer", default: 0 } } },
  start: ({ config, random }) => ({ number: config.number, left: random.integers(3, 9), points: 0 }),
  observe: ({ left, points }) => ({ left, points }),
  tools: (tool) => ({
    play: tool({
      input: { type: "object", properties: { bet: { type: "integer", minimum: 1, maximum: 6 } }, required: ["bet"] },
      run: async ({ bet }, { state, random }) => {
        if (state.points === 0) appendFileSync("begun", state.number + "\\n");
        if (existsSync("poison-" + state.number)) process.kill(process.pid, "SIGKILL");
        while (existsSync("hold")) await pause(20);
        if (delayMs > 0) await pause(delayMs);
        state.left--;
        state.points += bet === random.integers(1, 7) ? 5 : 1;
      },
    }),
  }),
  reward: ({ before, after }) => (after.points - before.points - 1) / 4,
  status: ({ left }) => ({ terminated: left === 0 }),
});
`;
