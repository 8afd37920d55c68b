import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from "kysely";
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from "kysely";
import { checkText } from "./check-text.ts";
import { SqliteDatabase } from "./sqlite-database.ts";
import type { SqliteResult } from "./sqlite-database.ts";
import { SqliteThread } from "./sqlite-thread.ts";

/** One SQLite file, or `:memory:`. Several processes may open the same file. */
export function sqliteDialect(file: string): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new SqliteDriver(file),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** Kysely on one connection, which a transaction has for itself. */
class SqliteDriver implements Driver {
  readonly #file: string;
  #connection: SqliteConnection | undefined;
  /** Resolves when the connection is free. */
  #free: Promise<void> = Promise.resolve();
  #release: () => void = () => undefined;

  constructor(file: string) {
    this.#file = file;
  }

  async init(): Promise<void> {
    await this.#connect();
  }

  async acquireConnection(): Promise<SqliteConnection> {
    const before = this.#free;
    let release = () => {};
    this.#free = new Promise((resolve) => (release = resolve));
    await before;
    this.#release = release;
    try {
      // A thread that ended took its transaction with it. The next one begins with another thread.
      return this.#connection?.database.hasEnded === false ? this.#connection : await this.#connect();
    } catch (error) {
      release();
      throw error;
    }
  }

  async releaseConnection(): Promise<void> {
    this.#release();
  }

  /** Takes the write lock at once: a transaction that reads first could not get it later if another process writes. */
  async beginTransaction({ database }: SqliteConnection): Promise<void> {
    await database.run("begin immediate", []);
  }

  async commitTransaction({ database }: SqliteConnection): Promise<void> {
    await database.run("commit", []);
  }

  async rollbackTransaction({ database }: SqliteConnection): Promise<void> {
    if (!database.hasEnded) await database.run("rollback", []);
  }

  async destroy(): Promise<void> {
    await this.#connection?.database.close();
  }

  async #connect(): Promise<SqliteConnection> {
    const isInMemory = this.#file === ":memory:";
    const database = isInMemory ? new MemoryDatabase() : await SqliteThread.open(this.#file);
    return (this.#connection = new SqliteConnection(database));
  }
}

type Executor = Pick<SqliteThread, "run" | "close" | "hasEnded">;

/** Needs no thread, because it never waits for a disk. */
class MemoryDatabase implements Executor {
  readonly hasEnded = false;
  readonly #database = new SqliteDatabase(":memory:");

  async run(sql: string, parameters: readonly unknown[]): Promise<SqliteResult> {
    return this.#database.run(sql, parameters);
  }

  async close(): Promise<void> {
    this.#database.close();
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly database: Executor;

  constructor(database: Executor) {
    this.database = database;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    checkText(parameters);
    const { rows, changes } = await this.database.run(sql, parameters);
    return { rows: rows as Row[], numAffectedRows: BigInt(changes) };
  }

  /** Nothing streams: pages are read one by one. */
  streamQuery(): never {
    throw new Error("The SQLite driver does not stream.");
  }
}
