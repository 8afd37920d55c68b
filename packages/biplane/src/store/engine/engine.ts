import type { Kysely } from "kysely";
import { sql } from "kysely";
import type { Tables } from "../tables.ts";

/** The databases that can be a store. */
export type Engine = "sqlite" | "postgres";

/** Holds back other transactions that take the lock of the same name, until this one ends. SQLite has one writer. */
export async function lockInTransaction(transaction: Kysely<Tables>, engine: Engine, name: string): Promise<void> {
  if (engine === "postgres") await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(transaction);
}
