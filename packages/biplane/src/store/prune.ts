import { sql } from "kysely";
import { callIdAt } from "./calls.ts";
import { columnTypes } from "./migrations.ts";
import { primaryKeys } from "./primary-keys.ts";
import { deleteRun, isActive, listRuns } from "./runs/run.ts";
import type { StoredRun } from "./runs/run.ts";
import type { SqlStore } from "./sql-store.ts";

/** Deletes in steps that are short enough not to hold up others. Returns how many were deleted, or would be. */
export type Prune = (store: SqlStore, options: PruneOptions) => Promise<number>;

export interface PruneOptions {
  /** What ended before this time is deleted. */
  readonly before: number;
  /** Only count. */
  readonly isDryRun?: boolean;
  /** Called between steps. Deleting stops where it throws, and goes on the next time. */
  readonly pause: () => Promise<void>;
}

export const pruneCalls: Prune = async ({ db }, { before, isDryRun, pause }) => {
  const old = db.selectFrom("calls").where("id", "<", callIdAt(before));
  if (isDryRun)
    return (await old.select(({ fn }) => fn.countAll<number>().as("count")).executeTakeFirstOrThrow()).count;
  for (let deleted = 0; ;) {
    const ids = old.select("id").orderBy("id").limit(stepSize);
    const { numDeletedRows } = await db.deleteFrom("calls").where("id", "in", ids).executeTakeFirst();
    if (numDeletedRows === 0n) return deleted;
    deleted += Number(numDeletedRows);
    await pause();
  }
};

/** Deletes the events of old runs. The runs stay, with their rollouts and scores. Returns the number of runs. */
export const pruneTraces: Prune = async (store, { before, isDryRun, pause }) => {
  let count = 0;
  for (const { id } of await oldRuns(store, before)) {
    const events = store.db.selectFrom("trace_events").where("run", "=", id);
    if (!(await events.select("sequence").limit(1).executeTakeFirst())) continue;
    count++;
    if (!isDryRun) await deleteStepwise(store, "trace_events", { run: id, pause });
  }
  return count;
};

/** Deletes old runs with everything in them. An interrupted deletion goes on later. */
export const pruneRuns: Prune = async (store, { before, isDryRun, pause }) => {
  const runs = await oldRuns(store, before);
  if (isDryRun) return runs.length;
  for (const { id } of runs) await pruneRun(store, id, pause);
  return runs.length;
};

/** Deletes a run of any size. The run itself is deleted last. */
export async function pruneRun(store: SqlStore, run: string, pause: () => Promise<void>): Promise<void> {
  for (const table of ["trace_events", "rollouts", "scores"] as const)
    await deleteStepwise(store, table, { run, pause });
  await deleteRun(store, run);
}

/** A run with this tag is never deleted because of its age. */
export const keepTag = "keep";

/** Runs that ended before a time. On a shared database, nobody knows whether the process of a running one is alive. */
async function oldRuns(store: SqlStore, before: number): Promise<StoredRun[]> {
  const runs = await listRuns(store, { endedBefore: before });
  return runs.filter(
    (run) => !run.tags.includes(keepTag) && (store.engine === "sqlite" ? !isActive(run) : run.status !== "running"),
  );
}

async function deleteStepwise(
  { db, engine }: SqlStore,
  table: "trace_events" | "rollouts" | "scores",
  { run, pause }: { run: string; pause: () => Promise<void> },
): Promise<void> {
  const from = sql`from ${sql.raw(columnTypes[engine].table(table))} where run = ${run}`;
  const columns: readonly string[] = primaryKeys[table].filter((column) => column !== "run");
  const key = sql.join(columns.map((column) => sql.ref(column)));
  for (;;) {
    const page = sql<Record<string, unknown>>`select ${key} ${from} order by ${key} limit 1 offset ${stepSize}`;
    const [next] = (await page.execute(db)).rows;
    if (!next) break;
    await sql`delete ${from} and (${key}) < (${sql.join(columns.map((column) => next[column]))})`.execute(db);
    await pause();
  }
  await sql`delete ${from}`.execute(db);
  await pause();
}

/** Rows that are deleted at once. */
const stepSize = 500;
