import { BiplaneError } from "@biplane/core";
import { sql } from "kysely";
import { columnTypes } from "./migrations.ts";
import type { SqlStore } from "./sql-store.ts";
import { insertRows } from "./change-rows.ts";
import { primaryKeys } from "./primary-keys.ts";
import type { KeptTable } from "./primary-keys.ts";

export const tableNames = Object.keys(primaryKeys) as KeptTable[];

export type TableCounts = Readonly<Record<KeptTable, number>>;

/** The number of rows of each table. */
export async function countRows({ db }: SqlStore): Promise<TableCounts> {
  const counts = {} as Record<KeptTable, number>;
  for (const table of tableNames) {
    const query = db.selectFrom(table).select((eb) => eb.fn.countAll<number>().as("count"));
    counts[table] = (await query.executeTakeFirstOrThrow()).count;
  }
  return counts;
}

export interface CopyOptions {
  /** Called after each page. */
  readonly onProgress?: (table: KeptTable, copied: number) => void;
}

/**
 * Copies everything to an empty store. If it was interrupted, the same call continues where it stopped: rows are copied in
 * the order of their keys, so the last key in the target tells how far it got.
 */
export async function copyStore(from: SqlStore, to: SqlStore, options: CopyOptions = {}): Promise<TableCounts> {
  await claimTarget(from, to);
  for (const table of tableNames) await copyTable(table, { from, to, ...options });
  if (to.engine === "postgres")
    await sql
      .raw(`select setval(pg_get_serial_sequence('${decisions}', 'number'),
    (select coalesce(max(number), 0) + 1 from ${decisions}), false)`)
      .execute(to.db);
  const [before, after] = [await countRows(from), await countRows(to)];
  const different = tableNames.filter((table) => before[table] + Number(table === "records") !== after[table]);
  if (different.length > 0)
    throw new BiplaneError(
      "EXECUTION_ERROR",
      `The copy is not complete: ${different.map((table) => `${table} has ${after[table]} of ${before[table]} rows`).join(", ")}. Was ${from.name} or ${to.name} in use? Stop everything that uses them and copy again.`,
    );
  await to.delete(copies, from.name);
  return before;
}

const copies = "store-copies";
const decisions = columnTypes.postgres.table("decisions");
const pageSize = 500;

/** A target with data of its own is refused. One that this copy began to fill has a mark. */
async function claimTarget(from: SqlStore, to: SqlStore): Promise<void> {
  if (await to.get(copies, from.name)) return;
  const counts = await countRows(to);
  const used = tableNames.find((table) => counts[table] > 0);
  if (used !== undefined)
    throw new BiplaneError(
      "INVALID_INPUT",
      `The store ${to.name} is not empty (${used}: ${counts[used]} rows). Copy to a new one.`,
    );
  await to.put(copies, from.name, { from: from.name });
}

interface TableCopy extends CopyOptions {
  readonly from: SqlStore;
  readonly to: SqlStore;
}

async function copyTable(table: KeptTable, { from, to, onProgress }: TableCopy): Promise<void> {
  const columns = primaryKeys[table] as readonly string[];
  const key = sql.join(columns.map((column) => sql.ref(column)));
  const ordered = (direction: "asc" | "desc") =>
    sql.join(columns.map((column) => sql`${sql.ref(column)} ${sql.raw(direction)}`));
  const own = (name: string) => sql.ref(name);
  let last: Row | undefined = (
    await sql<Row>`select ${key} from ${sql.raw(columnTypes[to.engine].table(table))}
      ${table === "records" ? sql`where ${own("collection")} != ${copies}` : sql``} order by ${ordered("desc")} limit 1`.execute(
      to.db,
    )
  ).rows[0];
  for (let copied = 0; ;) {
    const after = last && sql`where (${key}) > (${sql.join(columns.map((column) => last?.[column]))})`;
    const { rows } = await sql<Row>`select * from ${sql.raw(columnTypes[from.engine].table(table))}
      ${after ?? sql``} order by ${ordered("asc")} limit ${pageSize}`.execute(from.db);
    last = rows.at(-1);
    if (!last) return;
    await insertRows(to.db, table, { rows });
    onProgress?.(table, (copied += rows.length));
  }
}

type Row = Record<string, unknown>;
