import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ServerProcess } from "../../test/fleet/server-process.ts";
import { freePort } from "../../test/support/free-port.ts";
import { needsPostgres, startPostgres } from "../../test/support/postgres.ts";
import { startEpisodes } from "../fleet/load.ts";
import { rounded } from "./figures.ts";
import type { AbsentPeer, Amount } from "./figures.ts";

/** `biplane serve` after `kill -9`. Milliseconds, one figure for each kill. */
export interface RecoveryRow {
  readonly store: "SQLite" | "Postgres";
  /** Episodes that were open at the kill. */
  readonly episodes: number;
  /** From the start of the process to the first answer of a new server with an empty store. */
  readonly firstStartMs: number;
  /** From the start of the process to the answer of the step that was in flight at the kill. */
  readonly ms: readonly number[];
  /** Steps that were answered before and were missing after. */
  readonly lostSteps: number;
  /** Steps that were made twice. */
  readonly repeatedSteps: number;
}

export interface Recovery {
  readonly rows: readonly RecoveryRow[];
  readonly absent: readonly AbsentPeer[];
}

/** Kills a server in the middle of a step of an episode, starts it again, and repeats the step until it is answered. */
export async function measureRecovery({ isQuick }: Amount): Promise<Recovery> {
  const [kills, counts] = isQuick ? [2, [1, 100]] : [7, [1, 1000]];
  const folder = mkdtempSync(join(tmpdir(), "biplane-bench-recovery-"));
  const rows: RecoveryRow[] = [];
  try {
    for (const episodes of counts) {
      const location = join(folder, `${episodes}.db`);
      rows.push({ store: "SQLite", episodes, ...(await killAndRecover({ folder, location, episodes, kills })) });
    }
    if (needsPostgres.skip) return { rows, absent: [{ name: "Postgres", why: needsPostgres.meta?.needs ?? "" }] };
    await using postgres = await startPostgres({ isDurable: true });
    for (const episodes of counts) {
      const location = await postgres.database();
      rows.push({ store: "Postgres", episodes, ...(await killAndRecover({ folder, location, episodes, kills })) });
    }
    return { rows, absent: [] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Plan {
  readonly folder: string;
  readonly location: string;
  readonly episodes: number;
  readonly kills: number;
}

async function killAndRecover(plan: Plan): Promise<Omit<RecoveryRow, "store" | "episodes">> {
  const { folder, location, episodes, kills } = plan;
  const config = join(folder, "biplane.yaml");
  const world = join(import.meta.dirname, "../fleet/world.mjs");
  writeFileSync(config, JSON.stringify({ limits: false, servers: [world], store: location }));
  const env = { BIPLANE_SECRETS_KEY: randomBytes(32).toString("base64"), BIPLANE_LOG_LEVEL: "error" };
  const server = new ServerProcess({ port: await freePort(), args: ["--config", config], env });
  const durable = `http://127.0.0.1:${server.port}/env/durable`;
  const ms: number[] = [];
  let [lostSteps, repeatedSteps, made] = [0, 0, 0];
  try {
    const firstStartMs = await startUntil(server, () => fetch(`${durable}/health`).then(({ ok }) => ok || undefined));
    const [id = ""] = await startEpisodes(durable, episodes);
    const step = (number: number) => stepOnce(`${durable}/e/${id}/mcp/execute`, number);
    for (let kill = 0; kill < kills; kill++) {
      for (let at = 0; at < 20; at++) await step(++made);
      const inFlight = step(++made).catch(() => undefined);
      await pause(kill); // the moment differs: the step has arrived, is being made, or is answered
      await server.end("SIGKILL");
      await inFlight;
      let count = 0;
      ms.push(await startUntil(server, async () => (count = await step(made))));
      lostSteps += Math.max(0, made - count);
      repeatedSteps += Math.max(0, count - made);
    }
    return { firstStartMs: Math.round(firstStartMs), ms: rounded(ms, 0), lostSteps, repeatedSteps };
  } finally {
    await server.end();
  }
}

/** Milliseconds from the start of the server until `attempt` succeeds. */
async function startUntil(server: ServerProcess, attempt: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  const answered = async () => {
    while ((await attempt().catch(() => undefined)) === undefined) {
      if (performance.now() - startedAt > 60_000) throw new Error("The server did not answer within a minute.");
      await pause(5);
    }
    return performance.now() - startedAt;
  };
  const [took] = await Promise.all([answered(), server.start()]);
  return took;
}

/** Makes a step once, also if it is sent again. Returns how many steps the episode has made. */
async function stepOnce(url: string, number: number): Promise<number> {
  const headers = { "content-type": "application/json", "idempotency-key": `step-${number}` };
  const response = await fetch(url, { method: "POST", headers, body: '{"tool":"add","arguments":{}}' });
  if (!response.ok) throw new Error(`A step was answered with status ${response.status}.`);
  const { result } = (await response.json()) as { result: { count: number } };
  return result.count;
}
