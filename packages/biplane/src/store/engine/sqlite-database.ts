import { BiplaneError } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";
import { DatabaseSync } from "@photostructure/sqlite";
import { appendAudit } from "./append-audit.ts";
import { checkPages, prepareFile } from "./sqlite-file.ts";

/** Runs a statement. */
export interface SqliteRunner {
  run(sql: string, parameters: readonly unknown[]): SqliteResult;
}

/** What runs as one transaction in the thread of the database. It is called by its name instead of a statement. */
export interface SqliteProcedure {
  readonly name: string;
  run(database: SqliteRunner, parameters: readonly unknown[]): SqliteResult;
}

export interface SqliteResult {
  readonly rows: readonly unknown[];
  /** How many rows a write changed. */
  readonly changes: number;
}

/** A connection to a SQLite file, or to `:memory:`. It holds its thread while it waits for the disk or other writers. */
export class SqliteDatabase implements SqliteRunner {
  readonly #file: string;
  readonly #database: Database;
  readonly #statements = new Map<string, Prepared>();

  constructor(file: string) {
    this.#file = file;
    this.#database = this.#explain(() => open(file));
  }

  run(sql: string, parameters: readonly unknown[]): SqliteResult {
    // A full disk, for one, ends a transaction by itself.
    if (sql === "rollback" && !this.#database.isTransaction) return { rows: [], changes: 0 };
    if (sql === appendAudit.name) return this.#transact(() => appendAudit.run(this, parameters));
    return this.#explain(() => {
      const { statement, isRead } = this.#prepare(sql);
      const values = parameters as readonly Parameter[];
      if (isRead) return { rows: statement.all(...values), changes: 0 };
      return { rows: [], changes: statement.run(...values).changes };
    });
  }

  /** SQLite closes the file when the last statement was collected. */
  close(): void {
    this.#statements.clear();
    if (this.#database.isOpen) this.#database.close();
  }

  #transact(work: () => SqliteResult): SqliteResult {
    this.run("begin immediate", []);
    try {
      const result = work();
      this.run("commit", []);
      return result;
    } catch (error) {
      this.run("rollback", []);
      throw error;
    }
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

  /** Says what to do about an error that comes from outside the program. Others stay as they are. */
  #explain<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      const remedy = remedies[codeOf(error)];
      if (remedy === undefined) throw error;
      const message = `The store ${this.#file} cannot be used: ${messageOf(error)}. ${remedy}`;
      throw new BiplaneError("INTERNAL", message, { cause: error });
    }
  }
}

type Database = InstanceType<typeof DatabaseSync>;
type Statement = ReturnType<Database["prepare"]>;
type Parameter = Parameters<Statement["run"]>[number];

interface Prepared {
  readonly statement: Statement;
  readonly isRead: boolean;
}

const maxStatements = 200;

function open(file: string): Database {
  const bytes = file === ":memory:" ? 0 : prepareFile(file);
  const database = new DatabaseSync(file);
  database.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
  if (bytes <= checkedAtStart) checkPages(database, file);
  database.exec("pragma synchronous = full");
  useWriteAheadLog(database);
  return database;
}

/** How long to wait for another writer. */
const busyTimeoutMs = 10_000;

/** About a tenth of a second of checking. `biplane doctor` checks files of any size. */
const checkedAtStart = 32 * 1024 * 1024;

/** `busy_timeout` does not cover the switch to WAL mode, so retry while another process does the same. */
function useWriteAheadLog(database: Database): void {
  for (const startedAt = performance.now(); ;) {
    try {
      database.exec("pragma journal_mode = wal");
      return;
    } catch (error) {
      if (codeOf(error) !== busy || performance.now() - startedAt > busyTimeoutMs) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
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
