import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { needsPostgres, startPostgres } from "../../test/support/postgres.ts";
import { callTools, startEpisodes } from "../fleet/load.ts";
import { Child } from "../mcp/child.ts";
import { rounded } from "./figures.ts";
import type { AbsentPeer, Amount } from "./figures.ts";

/** Resident memory of a server with so many open episodes, and the size of its store, in megabytes. */
export interface DurableRow {
  readonly store: "memory" | "SQLite" | "Postgres";
  /** Episodes that were idle for a while are only in the store. */
  readonly isIdle: boolean;
  readonly episodes: readonly number[];
  readonly megabytes: readonly number[];
  /** The part of it that JavaScript objects use. */
  readonly heapMegabytes: readonly number[];
  readonly storeMegabytes: readonly number[];
}

export interface Durable {
  readonly rows: readonly DurableRow[];
  readonly absent: readonly AbsentPeer[];
}

/** Memory against the number of open episodes, each with one step: in memory only, and saved after every step. */
export async function measureDurable({ isQuick }: Amount): Promise<Durable> {
  const sizes = isQuick ? [1, 200, 1000] : [1, 1000, 10_000];
  const folder = mkdtempSync(join(tmpdir(), "biplane-bench-durable-"));
  const rows: DurableRow[] = [];
  try {
    rows.push(await fill({ store: "memory", isIdle: false, location: "memory", sizeOf: async () => 0 }, sizes));
    for (const isIdle of [false, true]) {
      const own = mkdtempSync(join(folder, "sqlite-"));
      const sizeOf = async () => sizeOfFolder(own);
      rows.push(await fill({ store: "SQLite", isIdle, location: join(own, "store.db"), sizeOf }, sizes));
    }
    if (needsPostgres.skip) return { rows, absent: [{ name: "Postgres", why: needsPostgres.meta?.needs ?? "" }] };
    await using postgres = await startPostgres({ isDurable: true });
    for (const isIdle of [false, true]) {
      const location = await postgres.database();
      rows.push(await fill({ store: "Postgres", isIdle, location, sizeOf: () => sizeOfDatabase(location) }, sizes));
    }
    return { rows, absent: [] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Kind {
  readonly store: DurableRow["store"];
  readonly isIdle: boolean;
  readonly location: string;
  /** The size of the store, in bytes. */
  readonly sizeOf: () => Promise<number>;
}

async function fill({ store, isIdle, location, sizeOf }: Kind, sizes: readonly number[]): Promise<DurableRow> {
  process.stderr.write(`Episodes in ${store}${isIdle ? ", idle" : ""} …\n`);
  const file = join(import.meta.dirname, "servers", "episodes.mjs");
  const child = await Child.start(file, [location, String(isIdle ? 2000 : 3_600_000)]);
  const url = `http://127.0.0.1:${child.port}`;
  const megabytes: number[] = [];
  const heapMegabytes: number[] = [];
  const storeMegabytes: number[] = [];
  try {
    let open = 0;
    for (const size of sizes) {
      const ids = await startEpisodes(url, size - open);
      const calls = ids.map((id) => `${url}/e/${id}/mcp/execute`);
      await callTools(calls, { tool: "add", arguments: {} }, ids.length);
      open = size;
      if (isIdle) await waitUntilIdle(url);
      const { rss, heapUsed = NaN } = await child.memory();
      megabytes.push(rss / 1e6);
      heapMegabytes.push(heapUsed / 1e6);
      storeMegabytes.push((await sizeOf()) / 1e6);
    }
  } finally {
    child.stop();
  }
  return {
    store,
    isIdle,
    episodes: sizes,
    megabytes: rounded(megabytes, 1),
    heapMegabytes: rounded(heapMegabytes, 2),
    storeMegabytes: rounded(storeMegabytes, 1),
  };
}

/** Waits until no episode is in memory any more. */
async function waitUntilIdle(url: string): Promise<void> {
  for (let tries = 0; tries < 120; tries++) {
    const { episodes } = (await (await fetch(`${url}/control/episodes`)).json()) as { episodes: unknown[] };
    if (episodes.length === 0) return;
    await pause(500);
  }
  throw new Error("Idle episodes stayed in memory for a minute.");
}

function sizeOfFolder(folder: string): number {
  return readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
}

async function sizeOfDatabase(location: string): Promise<number> {
  const client = new pg.Client(location);
  await client.connect();
  try {
    const { rows } = await client.query<{ size: string }>("select pg_database_size(current_database()) as size");
    return Number(rows[0]?.size);
  } finally {
    await client.end();
  }
}
