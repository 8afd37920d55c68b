import { sql } from "kysely";
import type { Kysely, RawBuilder } from "kysely";
import type { SqlStore } from "../store/sql-store.ts";
import type { Tables } from "../store/tables.ts";

type Db = Kysely<Tables>;

/** The Postgres schema of the queue's own tables. */
export const queueSchema = "biplane_queue";

/**
 * The names of the queues. `isolated` has the rollouts whose workers died twice: they are played alone, so that a
 * rollout that kills its worker takes no other one with it.
 */
export const queueNames = { rollouts: "rollouts", isolated: "isolated-rollouts", schedules: "schedules" } as const;

// What follows is what the queue has no method for, on its table of jobs.
const jobs = sql.raw(`${queueSchema}.job`);

const rollouts = sql`name in (${queueNames.rollouts}, ${queueNames.isolated})`;
const waiting = sql`state = 'created', started_on = null, heartbeat_on = null, completed_on = null`;

/** Removes rollouts in any state. */
export async function removeRollouts(db: Db, ids: readonly string[]): Promise<void> {
  await sql`delete from ${jobs} where ${rollouts} and ${isOneOf(ids)}`.execute(db);
}

/** Removes the job of a due schedule. Returns false if another process did. */
export async function removeDue(db: Db, id: string): Promise<boolean> {
  const { rows } =
    await sql`delete from ${jobs} where name = ${queueNames.schedules} and id = ${id} returning id`.execute(db);
  return rows.length > 0;
}

/** Notes who plays rollouts. Those before the last one died. */
export async function notePlayer(db: Db, ids: readonly string[], player: string): Promise<void> {
  await sql`update ${jobs}
    set data = jsonb_set(data, '{players}', coalesce(data -> 'players', '[]'::jsonb) || to_jsonb(${player}::text))
    where ${rollouts} and ${isOneOf(ids)}`.execute(db);
}

/** A rollout that a worker has, and those that had it, as that worker knows it. */
interface Held {
  readonly job: string;
  readonly players?: readonly string[];
}

/**
 * Puts rollouts back as if they had not been taken. This does not count as a death of their worker. Those that others
 * have taken since then stay with them.
 */
export async function returnRollouts(db: Db, held: readonly Held[], player: string): Promise<void> {
  const ids = held.map(({ job }) => job);
  const players = held.map((each) => JSON.stringify(each.players ?? []));
  await sql`update ${jobs} set ${waiting}, data = case when data -> 'players' ->> -1 = ${player}
      then jsonb_set(data, '{players}', (data -> 'players') - (-1)) else data end
    from unnest(${ids}::uuid[], ${players}::text[]) as known (job, players)
    where ${rollouts} and id = known.job and state = 'active'
      and coalesce(data -> 'players', '[]'::jsonb) = known.players::jsonb`.execute(db);
}

/** Puts rollouts where they are played alone. */
export async function isolateRollouts(db: Db, ids: readonly string[]): Promise<void> {
  await sql`update ${jobs} set ${waiting}, name = ${queueNames.isolated}
    where name = ${queueNames.rollouts} and ${isOneOf(ids)}`.execute(db);
}

/** Removes and returns the rollouts whose workers died `deaths` times. Those that never began there wait again. */
export async function removeLost<Data>(db: Db, deaths: number): Promise<Data[]> {
  const isFailed = sql`name = ${queueNames.isolated} and state = 'failed'`;
  const isLost = sql`jsonb_array_length(coalesce(data -> 'players', '[]'::jsonb)) >= ${deaths}`;
  await sql`update ${jobs} set ${waiting} where ${isFailed} and not ${isLost}`.execute(db);
  const { rows } = await sql<{
    data: Data;
  }>`delete from ${jobs} where ${isFailed} and ${isLost} returning data`.execute(db);
  return rows.map(({ data }) => data);
}

/** Removes every rollout of a run from the queue. Returns how many there were. */
export async function removeRun(db: Db, run: string): Promise<number> {
  const { rows } = await sql`delete from ${jobs}
    where ${rollouts} and group_id = ${run} returning id`.execute(db);
  return rows.length;
}

/** How many rollouts of each run are being played. Without a queue, none. */
export async function playingCounts({ db, engine }: SqlStore): Promise<ReadonlyMap<string, number>> {
  if (engine !== "postgres") return new Map();
  const { rows: tables } = await sql`select 1 where to_regclass(${`${queueSchema}.job`}) is not null`.execute(db);
  if (tables.length === 0) return new Map();
  const { rows } = await sql<{ run: string; playing: number }>`select group_id as run, count(*) as playing
    from ${jobs} where ${rollouts} and state = 'active' and group_id is not null
    group by group_id`.execute(db);
  return new Map(rows.map(({ run, playing }) => [run, playing]));
}

function isOneOf(ids: readonly string[]): RawBuilder<unknown> {
  return sql`id = any(${ids}::uuid[])`;
}
