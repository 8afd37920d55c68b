import { sql } from "kysely";
import type { InsertObject, Kysely } from "kysely";
import { primaryKeys } from "./primary-keys.ts";
import type { KeptTable } from "./primary-keys.ts";
import type { Tables } from "./tables.ts";

export interface RowsToInsert<Table extends KeptTable> {
  readonly rows: readonly InsertObject<Tables, Table>[];
  /** What to do with a row whose primary key is in the table (default: throw). */
  readonly ifKnown?: "keep" | "replace";
}

/** Inserts rows with the same columns. Those of a large number are inserted one after the other. */
export async function insertRows<Table extends KeptTable>(
  db: Kysely<Tables>,
  table: Table,
  { rows, ifKnown }: RowsToInsert<Table>,
): Promise<void> {
  const keys: readonly string[] = primaryKeys[table];
  const others = Object.keys(rows[0] ?? {}).filter((column) => !keys.includes(column));
  const replaced = Object.fromEntries(others.map((column) => [column, sql.ref(`excluded.${column}`)])) as object;
  for (const part of chunks(rows)) {
    const insert = db.insertInto(table).values(part);
    const conflicting = insert.onConflict((conflict) =>
      ifKnown === "keep" ? conflict.doNothing() : conflict.columns(keys as never).doUpdateSet(replaced),
    );
    await (ifKnown === undefined ? insert : conflicting).execute();
  }
}

/** Databases limit the parameters of a statement. */
export function chunks<Item>(items: readonly Item[], size = 100): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

/** Runs an insert, update or delete. True if it changed a row. */
export async function changesRow(statement: { executeTakeFirst(): Promise<StatementResult> }): Promise<boolean> {
  const { numInsertedOrUpdatedRows, numUpdatedRows, numDeletedRows } = await statement.executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? numUpdatedRows ?? numDeletedRows ?? 0n) > 0n;
}

interface StatementResult {
  readonly numInsertedOrUpdatedRows?: bigint | undefined;
  readonly numUpdatedRows?: bigint;
  readonly numDeletedRows?: bigint;
}
