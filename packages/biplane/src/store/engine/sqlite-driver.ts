import { setTimeout as pause } from "node:timers/promises";
import { BiplaneError } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";
import { DatabaseSync } from "@photostructure/sqlite";
import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from "kysely";
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from "kysely";
import { checkText } from "./check-text.ts";
import { checkPages, prepareFile } from "./sqlite-file.ts";

/** One SQLite file, or `:memory:`. Several processes may open the same file. */
export function sqliteDialect(file: string): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new SqliteDriver(file),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

type Database = InstanceType<typeof DatabaseSync>;
type Statement = ReturnType<Database["prepare"]>;
type Parameter = Parameters<Statement["run"]>[number];

function openFile(file: string): Database {
  try {
    return open(file);
  } catch (error) {
    throw explained(error, file);
  }
}

function open(file: string): Database {
  const bytes = file === ":memory:" ? 0 : prepareFile(file);
  const database = new DatabaseSync(file);
  database.exec("pragma busy_timeout = 5000");
  if (bytes <= checkedAtStart) checkPages(database, file);
  database.exec("pragma synchronous = full");
  useWriteAheadLog(database);
  // From here on, waiting for other writers must not hold the thread.
  database.exec("pragma busy_timeout = 0");
  return database;
}

/** About a tenth of a second of checking. `biplane doctor` checks files of any size. */
const checkedAtStart = 32 * 1024 * 1024;

/** `busy_timeout` does not cover the switch to WAL mode, so retry while another process does the same. */
function useWriteAheadLog(database: Database): void {
  for (const startedAt = performance.now(); ;) {
    try {
      database.exec("pragma journal_mode = wal");
      return;
    } catch (error) {
      if (codeOf(error) !== busy || performance.now() - startedAt > 5000) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

/** Kysely on one connection, which a transaction has for itself. */
class SqliteDriver implements Driver {
  readonly #file: string;
  readonly #database: Database;
  readonly #connection: SqliteConnection;
  /** Resolves when the connection is free. */
  #free: Promise<void> = Promise.resolve();
  #release: () => void = () => undefined;

  constructor(file: string) {
    this.#file = file;
    this.#database = openFile(file);
    this.#connection = new SqliteConnection(this.#database, file);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.#free;
    let release = () => {};
    this.#free = new Promise((resolve) => (release = resolve));
    await before;
    this.#release = release;
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    this.#release();
  }

  /** Takes the write lock at once: a transaction that reads first could not get it later if another process writes. */
  async beginTransaction(): Promise<void> {
    await whenNotBusy(this.#file, () => this.#database.exec("begin immediate"));
  }

  async commitTransaction(): Promise<void> {
    await whenNotBusy(this.#file, () => this.#database.exec("commit"));
  }

  /** A full disk, for one, ends the transaction by itself. */
  async rollbackTransaction(): Promise<void> {
    if (this.#database.isTransaction) this.#database.exec("rollback");
  }

  async destroy(): Promise<void> {
    this.#connection.forgetStatements();
    if (this.#database.isOpen) this.#database.close();
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #database: Database;
  readonly #file: string;
  readonly #statements = new Map<string, Prepared>();

  constructor(database: Database, file: string) {
    this.#database = database;
    this.#file = file;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    checkText(parameters);
    const values = parameters as readonly Parameter[];
    return whenNotBusy(this.#file, () => {
      const { statement, isRead } = this.#prepare(sql);
      if (isRead) return { rows: statement.all(...values) as Row[] };
      return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) };
    });
  }

  // eslint-disable-next-line require-yield -- Nothing streams: pages are read one by one.
  async *streamQuery(): AsyncGenerator<never> {
    throw new Error("The SQLite driver does not stream.");
  }

  /** SQLite closes the file when the last statement was collected. */
  forgetStatements(): void {
    this.#statements.clear();
  }

  #prepare(sql: string): Prepared {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    const prepared = { statement, isRead: statement.columns().length > 0 };
    if (this.#statements.size >= maxStatements) this.#statements.clear();
    this.#statements.set(sql, prepared);
    return prepared;
  }
}

/** Tries again while another connection writes, in this process or another one. */
async function whenNotBusy<T>(file: string, work: () => T): Promise<T> {
  for (const startedAt = performance.now(); ;) {
    try {
      return work();
    } catch (error) {
      if (codeOf(error) !== busy || performance.now() - startedAt > busyTimeoutMs) throw explained(error, file);
      await pause(2 + Math.random() * 8);
    }
  }
}

/** Says what to do about an error that comes from outside the program. Others stay as they are. */
function explained(error: unknown, file: string): unknown {
  const remedy = remedies[codeOf(error)];
  if (remedy === undefined) return error;
  return new BiplaneError("INTERNAL", `The store ${file} cannot be used: ${messageOf(error)}. ${remedy}`, {
    cause: error,
  });
}

/** Extended codes have more bits. */
function codeOf(error: unknown): number {
  const { errcode } = error as { errcode?: unknown };
  if (typeof errcode === "number") return errcode & 0xff;
  // Some errors of the driver for Node 20 have no code.
  return messageOf(error) === "database is locked" ? busy : 0;
}

const busy = 5;
const remedies: Readonly<Record<number, string>> = {
  [busy]: "Another process has been writing for too long.",
  8: "Give this user the right to write the file and its folder.",
  10: "Check the disk.",
  13: "Free some space on the disk.",
  14: "Check that the folder exists and that this user may write in it.",
};
const busyTimeoutMs = 10_000;

interface Prepared {
  readonly statement: Statement;
  readonly isRead: boolean;
}

const maxStatements = 200;
