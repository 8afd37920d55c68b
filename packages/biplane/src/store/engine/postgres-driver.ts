import { BiplaneError } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";
import { PostgresDialect } from "kysely";
import type { Dialect, PostgresPoolClient } from "kysely";
import pg from "pg";
import { checkText } from "./check-text.ts";

/** A Postgres database by its URL. Connections that break are replaced, so an outage needs no restart. */
export function postgresDialect(url: string): Dialect {
  const where = withoutCredentials(url);
  const pool = new pg.Pool({
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
  pool.on("error", () => undefined);
  const connect = async () => {
    try {
      return watched(await pool.connect(), where);
    } catch (error) {
      throw unreachable(where, error);
    }
  };
  return new PostgresDialect({ pool: { connect, end: () => pool.end() } });
}

/** The URL without user and password, for messages. */
export function withoutCredentials(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

/** A connection of the pool. If it breaks, it is not used again. */
function watched(client: pg.PoolClient, where: string): PostgresPoolClient {
  let fault: Error | undefined;
  const noteFault = (error: Error): void => {
    fault ??= error;
  };
  client.on("error", noteFault);
  const query = async (text: string, values: readonly unknown[]) => {
    // A broken connection is closed, which rolls back too.
    if (fault && text === "rollback") return { command: "ROLLBACK", rowCount: 0, rows: [] };
    checkText(values);
    try {
      return await client.query(text, [...values]);
    } catch (error) {
      if (error instanceof pg.DatabaseError && !isShutdown(error)) throw error;
      noteFault(error as Error);
      throw unreachable(where, error);
    }
  };
  const release = () => {
    client.off("error", noteFault);
    client.release(fault);
  };
  return { query, release } as object as PostgresPoolClient; // nothing uses cursors: pages are read one by one
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
