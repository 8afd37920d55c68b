import { sql } from "kysely";
import type { SqlStore } from "biplane/store";
import { saveRun } from "../../packages/biplane/src/store/runs/run.ts";
import { columnTypes } from "../../packages/biplane/src/store/migrations.ts";

/**
 * Writes runs of synthetic rollouts by one statement each, without traces: a large one, and small ones beside it. Rewards,
 * steps, endings and durations are spread, and some of them depend on each other, as in real runs: errors end early and
 * without a reward.
 */
export async function writeManyRollouts(
  store: SqlStore,
  { run, count }: { run: string; count: number },
): Promise<void> {
  const small = Math.min(100, Math.floor(count / 1000));
  const smallCount = small === 0 ? 0 : Math.floor(count / 10 / small);
  await writeRun(store, run, count - small * smallCount);
  for (let at = 0; at < small; at++) await writeRun(store, `${run}-${at}`, smallCount);
  await sql.raw(store.engine === "postgres" ? "vacuum analyze" : "analyze").execute(store.db);
}

async function writeRun(store: SqlStore, id: string, count: number): Promise<void> {
  await saveRun(store, {
    id,
    status: "finished",
    startedAt: new Date(firstMoment).toISOString(),
    endedAt: new Date(firstMoment + count * 20).toISOString(),
    target: "frozen-lake",
    agent: "random",
    model: "random",
    rows: count,
    repetitions: 1,
    steps: 64,
    concurrency: 64,
    version: "1.0.0",
    pid: process.pid,
    settings: undefined,
    tags: [],
  });
  await fillRun(store, { id, from: 0, count });
}

/** Adds the rollouts of a run from a number on. */
export async function fillRun(
  store: SqlStore,
  { id, from: first, count }: { id: string; from: number; count: number },
): Promise<void> {
  for (let from = first; from < count; from += chunk)
    await insertRollouts(store, { id, from, to: Math.min(from + chunk, count) });
  await store.db
    .updateTable("runs")
    .set({ ended: count, finished: count, failed: Math.ceil(count / 37), rows: count })
    .where("id", "=", id)
    .execute();
}

async function insertRollouts(
  store: SqlStore,
  { id, from, to }: { id: string; from: number; to: number },
): Promise<void> {
  const kind = sql.raw(`case when n % 37 = 0 then case when n % 37000 = 0 then 'error: timeout' else 'error: model' end
    when n % 5 = 0 then 'max_steps' else 'control_plane_signal' end`);
  await sql`with recursive numbers (n) as (select cast(${sql.lit(from)} as bigint) union all select n + 1 from numbers where n + 1 < ${sql.lit(to)}),
    facts as (select n, ${kind} as ending, ((n * 7919) % 100003) / 50000.0 as spread from numbers)
    insert into ${sql.raw(columnTypes[store.engine].table("rollouts"))} (run, row_index, repetition, rollout, row_id,
      row_search, seed, agent, model, started_at, ended_at, duration_ms, steps, reward, ending, ending_group, message,
      control_failures, tokens, cost)
    select ${sql.lit(id)}, n, 0, 'r' || n, 'seed_' || n, 'seed_' || n, cast(n as text), 'random', 'random',
      ${sql.lit(firstMoment)} + n * 20, ${sql.lit(firstMoment)} + n * 20 + 500,
      case when ending like 'error%' then spread else 20 + (n * 31) % 400000 / 10.0 end,
      3 + n % 60, case when ending like 'error%' then 0 else spread end, ending,
      case when ending like 'error%' then 'error' else ending end, null, 0, n % 5000, null
    from facts`.execute(store.db);
}

/** A statement of Postgres may take at most 30 seconds. */
const chunk = 20_000;

const firstMoment = Date.parse("2026-01-01T00:00:00Z");
