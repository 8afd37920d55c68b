import { BiplaneError } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";
import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from "kysely";
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from "kysely";
import pg from "pg";
import { checkText } from "./check-text.ts";

/** A Postgres database by its URL. Connections that break are replaced, so an outage needs no restart. */
export function postgresDialect(url: string): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PostgresDriver(url),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

/** The URL without user and password, for messages. */
export function withoutCredentials(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

class PostgresDriver implements Driver {
  readonly #pool: pg.Pool;
  readonly #where: string;

  constructor(url: string) {
    this.#where = withoutCredentials(url);
    this.#pool = new pg.Pool({
      connectionString: url,
      application_name: "biplane",
      max: 10,
      connectionTimeoutMillis: 5000,
      query_timeout: queryTimeoutMs,
      keepAlive: true,
      types: {
        getTypeParser: (type, format) =>
          type === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(type, format),
      },
    });
    // An idle connection that breaks is already out of the pool.
    this.#pool.on("error", () => undefined);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PostgresConnection> {
    try {
      return new PostgresConnection(await this.#pool.connect(), this.#where);
    } catch (error) {
      throw unreachable(this.#where, error);
    }
  }

  async beginTransaction(connection: PostgresConnection): Promise<void> {
    await connection.run("begin");
  }

  async commitTransaction(connection: PostgresConnection): Promise<void> {
    await connection.run("commit");
  }

  async rollbackTransaction(connection: PostgresConnection): Promise<void> {
    // A broken connection is closed, which rolls back too.
    if (!connection.fault) await connection.run("rollback");
  }

  async releaseConnection(connection: PostgresConnection): Promise<void> {
    connection.release();
  }

  async destroy(): Promise<void> {
    await this.#pool.end();
  }
}

class PostgresConnection implements DatabaseConnection {
  /** Set if the connection broke, so that it is not used again. */
  fault: Error | undefined;
  readonly #client: pg.PoolClient;
  readonly #where: string;

  constructor(client: pg.PoolClient, where: string) {
    this.#client = client;
    this.#where = where;
    client.on("error", this.#break);
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    checkText(parameters);
    const { rows, rowCount, command } = await this.run(sql, parameters);
    if (command === "SELECT") return { rows: rows as Row[] };
    return { rows: rows as Row[], numAffectedRows: BigInt(rowCount ?? 0) };
  }

  async run(text: string, values: readonly unknown[] = []): Promise<pg.QueryResult> {
    try {
      return await this.#client.query(text, [...values]);
    } catch (error) {
      if (error instanceof pg.DatabaseError && !isShutdown(error)) throw error;
      this.#break(error as Error);
      throw unreachable(this.#where, error);
    }
  }

  /** Nothing streams: pages are read one by one. */
  streamQuery(): never {
    throw new Error("The Postgres driver does not stream.");
  }

  release(): void {
    this.#client.off("error", this.#break);
    this.#client.release(this.fault);
  }

  readonly #break = (error: Error): void => {
    this.fault ??= error;
  };
}

/** The administrator or a crash ended the connection. */
function isShutdown({ code = "" }: pg.DatabaseError): boolean {
  return code.startsWith("57P") || code.startsWith("08");
}

function unreachable(where: string, error: unknown): BiplaneError {
  // A host with several addresses fails with one error each.
  const [cause] = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
  const message = `The store ${where} cannot be reached: ${messageOf(cause)}`;
  return new BiplaneError("CAPACITY", message, { cause, details: { retryAfterMs: 1000 } });
}

const queryTimeoutMs = 30_000;
