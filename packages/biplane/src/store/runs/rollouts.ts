import { Turns } from "@biplane/core/internal";
import { sql } from "kysely";
import type { Kysely } from "kysely";
import { readTraceEvent, traceFrom } from "../../rollout/trace.ts";
import type { Trace, TraceEvent } from "../../rollout/trace.ts";
import { insertRows } from "../change-rows.ts";
import type { SqlStore } from "../sql-store.ts";
import type { RolloutRow, Tables } from "../tables.ts";
import { cancelled, endingColumns, jobKey, rewardColumns } from "./rollout-facts.ts";

type Db = Kysely<Tables>;

/** An event as a line, with the row of its rollout after it. */
export interface WrittenEvent {
  readonly row: RolloutRow;
  readonly sequence: number;
  readonly line: string;
}

/** Writes events, the rows of their rollouts and the counts of the run, all or nothing. */
export async function writeEvents({ db }: SqlStore, run: string, events: readonly WrittenEvent[]): Promise<void> {
  const rows = [...new Map(events.map(({ row }) => [row.rollout, row])).values()];
  await db.transaction().execute(async (transaction) => {
    await insertEvents(transaction, run, events);
    await insertRows(transaction, "rollouts", { rows, ifKnown: "replace" });
    if (rows.some(({ ended_at }) => ended_at !== null)) await countRollouts(transaction, run, rows);
  });
}

/** A repeated attempt finds what the first one wrote, if only its answer was lost. */
export async function insertEvents(db: Db, run: string, events: readonly WrittenEvent[]): Promise<void> {
  const lines = events.map(({ row: { rollout }, sequence, line }) => ({ run, rollout, sequence, line }));
  await insertRows(db, "trace_events", { rows: lines, ifKnown: "keep" });
}

/** Counts rollouts of a run that just ended. */
export async function countRollouts(db: Db, run: string, rows: readonly RolloutRow[]): Promise<void> {
  const ended = rows.filter(({ ended_at }) => ended_at !== null);
  const count = (fits: (row: RolloutRow) => boolean) => ended.filter(fits).length;
  await db
    .updateTable("runs")
    .set((eb) => ({
      ended: eb("ended", "+", ended.length),
      finished: eb(
        "finished",
        "+",
        count(({ ending }) => ending !== cancelled),
      ),
      failed: eb(
        "failed",
        "+",
        count(({ ending, ending_group }) => ending_group === "error" && ending !== cancelled),
      ),
    }))
    .where("id", "=", run)
    .execute();
}

/** Forgets the rollouts that a resumed run plays again, and returns the `jobKey`s of the others. */
export async function finishedJobs({ db }: SqlStore, run: string): Promise<Set<string>> {
  await db.transaction().execute(async (transaction) => {
    const again = transaction
      .selectFrom("rollouts")
      .select("rollout")
      .where("run", "=", run)
      .where((eb) => eb.or([eb("ended_at", "is", null), eb("ending", "=", cancelled)]));
    const { length } = await again.execute();
    if (length === 0) return;
    await transaction.deleteFrom("trace_events").where("run", "=", run).where("rollout", "in", again).execute();
    await transaction.deleteFrom("rollouts").where("run", "=", run).where("rollout", "in", again).execute();
    await recount(transaction, run);
  });
  const finished = new Set<string>();
  for await (const { row_index: index, repetition } of rolloutsOf(db, run)) finished.add(jobKey({ index, repetition }));
  return finished;
}

/** Ends the rollouts that a dead process left open. */
export async function endInterrupted({ db }: SqlStore, run: string): Promise<void> {
  const open = db.selectFrom("rollouts").select("rollout").where("run", "=", run).where("ended_at", "is", null);
  if ((await open.limit(1).execute()).length === 0) return;
  await db.transaction().execute(async (transaction) => {
    await transaction
      .updateTable("rollouts")
      .set((eb) => ({
        ...endingColumns(cancelled),
        ...rewardColumns(null),
        ended_at: eb.ref("started_at"),
        message: "The process ended before the rollout.",
      }))
      .where("run", "=", run)
      .where("ended_at", "is", null)
      .execute();
    await recount(transaction, run);
  });
}

async function recount(db: Db, run: string): Promise<void> {
  const ended = db.selectFrom("rollouts").where("run", "=", run).where("ended_at", "is not", null);
  const counts = await ended
    .select(({ fn, eb }) => [
      fn.countAll<number>().as("ended"),
      fn
        .countAll<number>()
        .filterWhere(eb("ending", "!=", cancelled))
        .as("finished"),
      fn
        .countAll<number>()
        .filterWhere(eb.and([eb("ending_group", "=", "error"), eb("ending", "!=", cancelled)]))
        .as("failed"),
    ])
    .executeTakeFirstOrThrow();
  await db.updateTable("runs").set(counts).where("id", "=", run).execute();
  await db.deleteFrom("run_figures").where("run", "=", run).execute();
}

/** A rollout that is being played. */
export interface OpenRollout {
  readonly rollout: string;
  readonly index: number;
  readonly repetition: number;
  readonly rowId: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly steps: number;
  readonly reward: number;
}

/** The rollouts that are being played, oldest first. */
export async function openRollouts({ db }: SqlStore, run: string, limit: number): Promise<OpenRollout[]> {
  const rows = await db
    .selectFrom("rollouts")
    .select([
      "rollout",
      "row_index as index",
      "repetition",
      "row_id as rowId",
      "started_at as startedAt",
      "steps",
      "reward",
    ])
    .where("run", "=", run)
    .where("ended_at", "is", null)
    .orderBy("started_at")
    .limit(limit)
    .execute();
  return rows;
}

/** A number that grows with every step of the rollouts that are being played, and changes when one begins. */
export async function progressOf({ db }: SqlStore, run: string): Promise<string> {
  const { steps, begun } = await db
    .selectFrom("rollouts")
    .select(({ fn }) => [fn.sum<number | null>("steps").as("steps"), fn.max("started_at").as("begun")])
    .where("run", "=", run)
    .where("ended_at", "is", null)
    .executeTakeFirstOrThrow();
  return `${steps ?? 0} ${begun}`;
}

/** Rollouts are named within their run. */
interface RolloutKey {
  readonly run: string;
  readonly rollout: string;
}

export async function findRollout({ db }: SqlStore, { run, rollout }: RolloutKey): Promise<RolloutRow | undefined> {
  return db.selectFrom("rollouts").selectAll().where("run", "=", run).where("rollout", "=", rollout).executeTakeFirst();
}

/** Reads one trace. Lines that cannot be read are left out. */
export async function readTrace({ db }: SqlStore, { run, rollout }: RolloutKey): Promise<Trace | undefined> {
  const lines = await db
    .selectFrom("trace_events")
    .select("line")
    .where("run", "=", run)
    .where("rollout", "=", rollout)
    .orderBy("sequence")
    .execute();
  const turns = new Turns();
  const events: TraceEvent[] = [];
  for (const { line } of lines) {
    const event = readTraceEvent(line);
    if (event) events.push(event);
    await turns.next();
  }
  return traceFrom(events);
}

/** The bytes of a trace, without reading it: environments and models decide how long it is. */
export async function traceBytes({ db }: SqlStore, run: string, rollout: string): Promise<number> {
  const { bytes } = await db
    .selectFrom("trace_events")
    .select(sql<number>`coalesce(sum(octet_length(line)), 0)`.as("bytes"))
    .where("run", "=", run)
    .where("rollout", "=", rollout)
    .executeTakeFirstOrThrow();
  return bytes;
}

/** The traces of a run by row index, one at a time. */
export async function* tracesOf(store: SqlStore, run: string): AsyncGenerator<Trace> {
  for await (const { rollout } of rolloutsOf(store.db, run)) {
    const trace = await readTrace(store, { run, rollout });
    if (trace) yield trace;
  }
}

/** All traces of a run. */
export async function readTraces(store: SqlStore, run: string): Promise<Trace[]> {
  const traces: Trace[] = [];
  for await (const trace of tracesOf(store, run)) traces.push(trace);
  return traces;
}

/** The rollouts of a run by row index, in pages. */
export async function* rolloutsOf(db: Db, run: string): AsyncGenerator<RolloutRow> {
  for (let last: RolloutRow | undefined; ;) {
    const query = db
      .selectFrom("rollouts")
      .selectAll()
      .where("run", "=", run)
      .orderBy("row_index")
      .orderBy("repetition")
      .limit(pageSize);
    const { row_index = 0, repetition = 0 } = last ?? {};
    const page = await (
      last
        ? query.where((eb) => eb(eb.refTuple("row_index", "repetition"), ">", eb.tuple(row_index, repetition)))
        : query
    ).execute();
    yield* page;
    last = page.at(-1);
    if (page.length < pageSize) return;
  }
}

const pageSize = 1000;
