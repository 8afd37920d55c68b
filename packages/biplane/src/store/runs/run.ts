import { randomBytes } from "node:crypto";
import { BiplaneError } from "@biplane/core";
import type { SqlStore } from "../sql-store.ts";
import { storable } from "../storable.ts";
import type { RunRow } from "../tables.ts";

/** A run: rollouts under one id. Its traces are in the same store. */
export interface Run {
  readonly id: string;
  /** A name that a person gave. Several runs may have the same one. */
  readonly name?: string | undefined;
  readonly status: "running" | "finished" | "cancelled";
  readonly startedAt: string;
  readonly endedAt: string | undefined;
  readonly target: string;
  readonly agent: string;
  readonly model: string;
  readonly rows: number;
  readonly repetitions: number;
  readonly steps: number;
  readonly concurrency: number;
  readonly version: string;
  /** The process that plays the run. 0 if workers play it. */
  readonly pid: number;
  /** The least total reward with which a rollout passes (default: any above 0). */
  readonly pass?: number | undefined;
  /** Words that a person gave, to find the run by. */
  readonly tags: readonly string[];
  /** Data that the starter of the run saved in order to resume it. */
  readonly settings: Readonly<Record<string, unknown>> | undefined;
}

/** A run in the store, with the number of its rollouts. */
export interface StoredRun extends Run {
  /** Rollouts that ended, including cancelled ones. */
  readonly ended: number;
  /** Rollouts that ended without being cancelled. */
  readonly finished: number;
  /** Of the finished ones, those that ended with an error. */
  readonly failed: number;
}

/** Generates a run id that sorts by time. */
export function newRunId(now = new Date()): string {
  return `${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-")}-${randomBytes(2).toString("hex")}`;
}

/** Saves a run. The counts of its rollouts stay. */
export async function saveRun({ db }: Pick<SqlStore, "db">, run: Run): Promise<void> {
  const row = rowOf(run);
  await db
    .insertInto("runs")
    .values({ ...row, ended: 0, finished: 0, failed: 0 })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
    .execute();
}

/** Finds a run by its exact id. */
export async function getRun({ db }: Pick<SqlStore, "db">, id: string): Promise<StoredRun | undefined> {
  const row = await db.selectFrom("runs").selectAll().where("id", "=", id).executeTakeFirst();
  return row && runFrom(row);
}

/** Finds a run by its exact id, or throws. */
export async function findRun(store: SqlStore, id: string): Promise<StoredRun> {
  const found = await getRun(store, id);
  if (found) return found;
  throw new BiplaneError(
    "INVALID_INPUT",
    `There is no run ${JSON.stringify(id)}. List the runs with \`biplane runs\`.`,
  );
}

export interface RunFilter {
  /** The newest ones only. */
  readonly limit?: number;
  readonly tag?: string | undefined;
  /** Milliseconds since 1970. A run without an end counts from its start. */
  readonly endedBefore?: number;
}

/** Runs, newest last. */
export async function listRuns({ db }: SqlStore, filter: RunFilter = {}): Promise<StoredRun[]> {
  const { limit, tag, endedBefore } = filter;
  let query = db.selectFrom("runs").selectAll().orderBy("started_at", "desc").orderBy("id", "desc");
  if (tag !== undefined) query = query.where("tags", "like", `%${JSON.stringify(tag).replaceAll(/[%_\\]/g, "_")}%`);
  if (endedBefore !== undefined)
    query = query.where(({ fn }) => fn.coalesce("ended_at", "started_at"), "<", endedBefore);
  const found = await (limit === undefined ? query : query.limit(limit)).execute();
  const runs = found.map(runFrom).reverse();
  return tag === undefined ? runs : runs.filter(({ tags }) => tags.includes(tag));
}

/** Names or tags a run. An empty name removes it. */
export async function describeRun(
  { db }: SqlStore,
  id: string,
  { name, tags }: { name?: string | undefined; tags?: readonly string[] | undefined },
): Promise<void> {
  const change = {
    ...(name !== undefined && { name: name === "" ? null : storable(name) }),
    ...(tags && { tags: JSON.stringify([...new Set(tags)]) }),
  };
  if (Object.keys(change).length > 0) await db.updateTable("runs").set(change).where("id", "=", id).execute();
}

/** Deletes a run with its rollouts, traces, scores and annotations. */
export async function deleteRun({ db }: SqlStore, id: string): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    for (const table of ["trace_events", "rollouts", "scores", "scorings", "run_figures", "annotations"] as const)
      await transaction.deleteFrom(table).where("run", "=", id).execute();
    await transaction.deleteFrom("runs").where("id", "=", id).execute();
  });
}

/** The status that people see. A run has failed if each of its rollouts has. */
export function shownStatus(run: StoredRun): Run["status"] | "failed" | "interrupted" {
  const { status, ended, failed } = run;
  if (status === "running") return isInterrupted(run) ? "interrupted" : status;
  return status === "finished" && ended > 0 && failed === ended ? "failed" : status;
}

/** True if workers play the run. They need no process that started it. */
export function isQueued({ pid }: Run): boolean {
  return pid === queuedPid;
}

/** `pid` of a run that workers play. */
export const queuedPid = 0;

/** The runs that workers are to play. */
export async function queuedRuns({ db }: SqlStore): Promise<StoredRun[]> {
  const rows = await db
    .selectFrom("runs")
    .selectAll()
    .where("status", "=", "running")
    .where("pid", "=", queuedPid)
    .execute();
  return rows.map(runFrom);
}

/** True if the run can be resumed: it was cancelled, or its process died. */
export function isInterrupted(run: Run): boolean {
  const { status, pid } = run;
  if (status !== "running") return status === "cancelled";
  if (isQueued(run)) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/** True while a process is playing the run. */
export function isActive(run: Run): boolean {
  return run.status === "running" && !isInterrupted(run);
}

type OwnColumns = Omit<RunRow, "ended" | "finished" | "failed">;

function rowOf(run: Run): OwnColumns {
  const { id, status, rows, repetitions, steps, concurrency, version, pid } = run;
  return {
    id,
    status,
    rows,
    repetitions,
    steps,
    concurrency,
    version,
    pid,
    name: run.name === undefined ? null : storable(run.name),
    target: storable(run.target),
    agent: storable(run.agent),
    model: storable(run.model),
    started_at: Date.parse(run.startedAt),
    ended_at: run.endedAt === undefined ? null : Date.parse(run.endedAt),
    pass: run.pass ?? null,
    settings: run.settings ? JSON.stringify(run.settings) : null,
    tags: JSON.stringify(run.tags),
  };
}

/** A run from its row, which has no other columns. */
export function runFrom({ started_at, ended_at, name, pass, settings, tags, ...row }: RunRow): StoredRun {
  return {
    ...row,
    name: name ?? undefined,
    startedAt: new Date(started_at).toISOString(),
    endedAt: ended_at === null ? undefined : new Date(ended_at).toISOString(),
    pass: pass ?? undefined,
    settings: settings === null ? undefined : (JSON.parse(settings) as Record<string, unknown>),
    tags: JSON.parse(tags) as string[],
  };
}
