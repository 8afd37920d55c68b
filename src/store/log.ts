import type { DatabaseSync } from "@photostructure/sqlite";
import { BiplaneError } from "../errors.ts";
import type { LogLine, Logs } from "./store.ts";

/** The logs of a SQLite store, in a table of their own. */
export function sqliteLogs(database: InstanceType<typeof DatabaseSync>): Logs {
  database.exec(
    "create table if not exists log_lines (log text, sequence integer, line text not null, primary key (log, sequence)) without rowid, strict",
  );
  const insert = database.prepare("insert into log_lines values (?, ?, ?)");
  const newest = database.prepare(
    `select sequence, ${wholeLine} from log_lines where log = ? order by sequence desc limit 1`,
  );
  const page = database.prepare(
    `select sequence, ${wholeLine} from log_lines where log = ? and sequence > ? order by sequence limit ?`,
  );
  const last = (log: string) => newest.get(log) as LogLine | undefined;
  return {
    async append(log, lines) {
      // Immediate: whoever reads the last number holds the right to write the next.
      database.exec("begin immediate");
      try {
        const before = last(log);
        let sequence = before?.sequence ?? 0;
        for (const line of typeof lines === "function" ? lines(before) : lines) insert.run(log, ++sequence, kept(line));
        database.exec("commit");
      } catch (error) {
        if (database.isTransaction) database.exec("rollback");
        throw error;
      }
    },
    async read(log, { after = Number.MIN_SAFE_INTEGER, limit = 1000 } = {}) {
      return page.all(log, after, limit) as LogLine[];
    },
    async last(log) {
      return last(log);
    },
  };
}

/**
 * The driver cuts text at a NUL. None is ever written, so one that is there was put there by someone else: such a line
 * is read in hex, and does not pass for what it was.
 */
const wholeLine = "iif(instr(line, char(0)) > 0, hex(line), line) as line";

/** The line, if the database gives it back as it is. */
function kept(line: string): string {
  if (!line.includes("\0") && !/\p{Surrogate}/u.test(line)) return line;
  throw new BiplaneError("INVALID_INPUT", "A line of a log must be well-formed text without a NUL");
}
