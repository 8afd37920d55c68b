import { BiplaneError } from "@biplane/core";
import { sql } from "kysely";
import type { Kysely } from "kysely";
import { lockInTransaction } from "./engine/engine.ts";
import type { Engine } from "./engine/engine.ts";
import { importRecords } from "./import-records.ts";
import { columnTypes, migrations, postgresSchema } from "./migrations.ts";
import type { Tables } from "./tables.ts";

/** Brings the tables up to date, in one transaction. Returns the versions before and after. */
export async function migrate(db: Kysely<Tables>, engine: Engine, where: string): Promise<Migrated> {
  const newest = migrations.length;
  const found = await readVersion(db, engine);
  if (found > newest) throw tooNew(where, found);
  if (found === newest) return { from: found, to: newest };
  return db.transaction().execute(async (transaction) => {
    await lockInTransaction(transaction, engine, "biplane migrate");
    const types = columnTypes[engine];
    const from = await readVersion(transaction, engine); // another process may have been faster
    if (from === 0 && engine === "postgres")
      await sql.raw(`create schema if not exists ${postgresSchema}`).execute(transaction);
    for (const migration of migrations.slice(from))
      for (const statement of migration(types)) await sql.raw(statement).execute(transaction);
    if (from === 0 && engine === "sqlite") await importRecords(transaction);
    if (from < newest) await writeVersion(transaction, types.table(versionTable), newest);
    return { from, to: newest };
  });
}

export interface Migrated {
  readonly from: number;
  readonly to: number;
}

/** The version of the tables. 0 without tables, and for the stores of version 0.1. */
export async function readVersion(db: Kysely<Tables>, engine: Engine): Promise<number> {
  const table = columnTypes[engine].table(versionTable);
  const { rows: tables } = await (
    engine === "postgres"
      ? sql`select 1 where to_regclass(${table}) is not null`
      : sql`select 1 from sqlite_master where type = 'table' and name = ${table}`
  ).execute(db);
  if (tables.length === 0) return 0;
  const { rows } = await sql<{ version: number }>`select version from ${sql.raw(table)}`.execute(db);
  return rows[0]?.version ?? 0;
}

async function writeVersion(transaction: Kysely<Tables>, table: string, version: number): Promise<void> {
  await sql.raw(`create table if not exists ${table} (version integer not null)`).execute(transaction);
  await sql.raw(`delete from ${table}`).execute(transaction);
  await sql.raw(`insert into ${table} values (${version})`).execute(transaction);
}

const versionTable = "schema_version";

function tooNew(where: string, version: number): BiplaneError {
  return new BiplaneError(
    "INVALID_DEFINITION",
    `The store ${where} was written by a newer Biplane (tables ${version}, this one knows ${migrations.length}). Upgrade this program, or use another store.`,
  );
}
