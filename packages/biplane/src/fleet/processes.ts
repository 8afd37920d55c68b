import { sql } from "kysely";
import { changesRow } from "../store/change-rows.ts";
import type { SqlStore } from "../store/sql-store.ts";
import type { ProcessRow } from "../store/tables.ts";

/** Others give a process up if they have not seen it for this long. */
export const givenUpAfterMs = 10_000;

/** The time of the database, in milliseconds. Clocks of different machines differ. */
export const databaseTime = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

export interface ProcessInfo extends Omit<ProcessRow, "load"> {
  readonly load: ProcessLoad;
}

/** What a process says about itself. */
export type ProcessLoad = Readonly<Record<string, number>>;

/** The processes that run, in the order in which they started. */
export async function listProcesses({ db }: SqlStore): Promise<readonly ProcessInfo[]> {
  const rows = await db
    .selectFrom("processes")
    .selectAll()
    .where("seen_at", ">", isAlive())
    .orderBy("started_at")
    .orderBy("id")
    .execute();
  return rows.map((row) => ({ ...row, load: JSON.parse(row.load) as ProcessLoad }));
}

/** One process, if it runs. */
export async function findProcess({ db }: SqlStore, id: string): Promise<{ address: string | null } | undefined> {
  return db
    .selectFrom("processes")
    .select("address")
    .where("id", "=", id)
    .where("seen_at", ">", isAlive())
    .executeTakeFirst();
}

export async function addProcess(
  { db }: SqlStore,
  process: Omit<ProcessInfo, "started_at" | "seen_at">,
): Promise<void> {
  const { load, ...row } = process;
  await db
    .insertInto("processes")
    .values({ ...row, load: JSON.stringify(load), started_at: databaseTime, seen_at: databaseTime })
    .execute();
  await db
    .deleteFrom("processes")
    .where("seen_at", "<", sql<number>`${databaseTime} - ${forgottenAfterMs}`)
    .execute();
}

/** Says that a process still runs. False if the others have given it up: then it must not say so any more. */
export async function renewProcess({ db }: SqlStore, id: string, load: ProcessLoad): Promise<boolean> {
  const running = db.updateTable("processes").where("id", "=", id).where("seen_at", ">", isAlive());
  return changesRow(running.set({ seen_at: databaseTime, load: JSON.stringify(load) }));
}

export async function removeProcess({ db }: SqlStore, id: string): Promise<void> {
  await db.deleteFrom("processes").where("id", "=", id).execute();
}

function isAlive(): ReturnType<typeof sql<number>> {
  return sql<number>`${databaseTime} - ${givenUpAfterMs}`;
}

const forgottenAfterMs = 3_600_000;
