import { BiplaneError } from "@biplane/core";
import type { Store } from "@biplane/core";
import type { StoredRecord } from "@biplane/core/internal";
import { Kysely } from "kysely";
import type { Dialect } from "kysely";
import { auditLogOf } from "./audit-log.ts";
import type { AuditLog } from "./audit-log.ts";
import { changesRow, insertRows } from "./change-rows.ts";
import { lockInTransaction } from "./engine/engine.ts";
import type { Engine } from "./engine/engine.ts";
import { sqliteDialect } from "./engine/sqlite-driver.ts";
import { migrate, readVersion } from "./migrate.ts";
import type { Migrated } from "./migrate.ts";
import { migrations, postgresSchema } from "./migrations.ts";
import { StoredEpisodes } from "./stored-episodes.ts";
import type { Tables } from "./tables.ts";

/**
 * Opens a store and brings its tables up to date. A location is a file for SQLite, `:memory:`, or the URL of a Postgres
 * database.
 */
export async function openStore(location: string): Promise<SqlStore> {
  const store = await connectStore(location);
  try {
    await store.migrate();
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Opens a store without looking at its tables. */
export async function connectStore(location: string): Promise<SqlStore> {
  if (!isPostgres(location))
    return new SqlStore({ engine: "sqlite", dialect: sqliteDialect(location), name: location });
  if (!URL.canParse(location))
    throw new BiplaneError(
      "INVALID_DEFINITION",
      "The store is not a valid URL, such as postgres://user@host/database.",
    );
  // Loaded only here: most stores are files.
  const { postgresDialect, withoutCredentials } = await import("./engine/postgres-driver.ts");
  return new SqlStore({
    engine: "postgres",
    dialect: postgresDialect(location),
    name: withoutCredentials(location),
  });
}

/** True if the location of a store is a Postgres URL. */
export function isPostgres(location: string): boolean {
  return /^postgres(?:ql)?:/.test(location);
}

export interface SqlStoreParts {
  readonly engine: Engine;
  readonly dialect: Dialect;
  readonly name: string;
}

/** A store in a SQL database. Everything that Biplane keeps has its table; programs have JSON records. */
export class SqlStore implements Store {
  readonly engine: Engine;
  /** Several machines may use a Postgres database. */
  get isShared(): boolean {
    return this.engine === "postgres";
  }
  /** The file, or the URL without credentials. */
  readonly name: string;
  readonly db: Kysely<Tables>;
  readonly audit: AuditLog;
  readonly episodes: StoredEpisodes;
  /** After this, nothing can be read or written. */
  isClosed = false;

  constructor({ engine, dialect, name }: SqlStoreParts) {
    this.engine = engine;
    this.name = name;
    const db = new Kysely<Tables>({ dialect });
    this.db = engine === "postgres" ? db.withSchema(postgresSchema) : db;
    this.audit = auditLogOf(this);
    this.episodes = new StoredEpisodes(this);
  }

  migrate(): Promise<Migrated> {
    return migrate(this.db, this.engine, this.name);
  }

  /** True if `migrate` would change the store. */
  async isOutdated(): Promise<boolean> {
    return (await readVersion(this.db, this.engine)) < migrations.length;
  }

  /** Runs `work` in a transaction. Those with the same lock run one after the other, in all processes. */
  transaction<T>(lock: string, work: (transaction: Kysely<Tables>) => Promise<T>): Promise<T> {
    return this.db.transaction().execute(async (transaction) => {
      await lockInTransaction(transaction, this.engine, lock);
      return work(transaction);
    });
  }

  async get(collection: string, key: string): Promise<StoredRecord | undefined> {
    const row = await readRecord(this.db, collection, key);
    return row && parse(row.json);
  }

  async put(collection: string, key: string, record: StoredRecord): Promise<void> {
    await writeRecord(this.db, { collection, key, json: JSON.stringify(record) });
  }

  async delete(collection: string, key: string): Promise<boolean> {
    return changesRow(this.db.deleteFrom("records").where("collection", "=", collection).where("key", "=", key));
  }

  change(
    collection: string,
    key: string,
    change: (record: StoredRecord | undefined) => StoredRecord | undefined,
  ): Promise<StoredRecord | undefined> {
    return this.transaction(`record ${JSON.stringify([collection, key])}`, async (transaction) => {
      const row = await readRecord(transaction, collection, key);
      const before = row && parse(row.json);
      const after = change(before);
      if (after !== undefined && after !== before)
        await writeRecord(transaction, { collection, key, json: JSON.stringify(after) });
      return after ?? before;
    });
  }

  async list(
    collection: string,
    { after = "", limit = 1000 }: { after?: string; limit?: number } = {},
  ): Promise<readonly (readonly [string, StoredRecord])[]> {
    const rows = await this.db
      .selectFrom("records")
      .select(["key", "json"])
      .where("collection", "=", collection)
      .where("key", ">", after)
      .orderBy("key")
      .limit(limit)
      .execute();
    return rows.map(({ key, json }) => [key, parse(json)] as const);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.db.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function readRecord(db: Kysely<Tables>, collection: string, key: string): Promise<{ json: string } | undefined> {
  return db
    .selectFrom("records")
    .select("json")
    .where("collection", "=", collection)
    .where("key", "=", key)
    .executeTakeFirst();
}

function writeRecord(db: Kysely<Tables>, row: Tables["records"]): Promise<void> {
  return insertRows(db, "records", { rows: [row], ifKnown: "replace" });
}

function parse(json: string): StoredRecord {
  return JSON.parse(json) as StoredRecord;
}
