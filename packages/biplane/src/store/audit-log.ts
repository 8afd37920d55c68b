import { BiplaneError } from "@biplane/core";
import { CompiledQuery, sql } from "kysely";
import { auditToolSql, indexedTool } from "./audit-tool.ts";
import type { SqlStore } from "./sql-store.ts";

/** Append-only lines, numbered from 1 without gaps, even with concurrent writers. */
export interface AuditLog {
  /**
   * Appends all lines or none. `lines` derives them from the last one; it may be called again if the store retries.
   * Lines must be well-formed text without NUL. Pass the same `attempt` to each try with the same lines: if an earlier
   * one was committed and only its answer was lost, nothing is written again.
   */
  append(lines: (last: LogLine | undefined) => readonly string[], attempt?: AppendAttempt): Promise<void>;
  read(options?: AuditRead): Promise<readonly LogLine[]>;
  last(): Promise<LogLine | undefined>;
  /** What was cut off the beginning, in order. */
  cuts(): Promise<readonly AuditCut[]>;
  /**
   * Deletes the lines from `first` to `through`, which were exported to a file. A repeated call with the same `first`
   * goes on. False if another process cut the log meanwhile.
   */
  cut(part: AuditCut): Promise<boolean>;
}

/** Which lines to read. */
export interface AuditRead {
  /** Default: `oldest` first. */
  readonly order?: "newest" | "oldest" | undefined;
  /** Continue after this sequence number, in that order. */
  readonly after?: number | undefined;
  /** Default: 1000. */
  readonly limit?: number;
  /** Leaves out lines of other tools, by an index. With odd or very long names, some or all of them are found too. */
  readonly tool?: string | undefined;
}

/** Lines that were exported and deleted. `hash` is that of the last one. */
export interface AuditCut {
  readonly first: number;
  readonly through: number;
  readonly hash: string;
  readonly file: string;
}

/** What the last try to append would have written first. */
export interface AppendAttempt {
  first?: LogLine;
}

export interface LogLine {
  readonly sequence: number;
  readonly line: string;
}

/** The audit log of a store. */
export function auditLogOf(store: SqlStore): AuditLog {
  const rows = (db: SqlStore["db"]) => rowsOf(db, store.engine);
  const last = (db: SqlStore["db"]) => rows(db).orderBy("sequence", "desc").limit(1).executeTakeFirst();
  const insert = lineInserter();
  return {
    append: (lines, attempt = {}) =>
      store.transaction("biplane audit", async (transaction) => {
        if (attempt.first && (await isWritten(rows(transaction), attempt.first))) return;
        const before = await last(transaction);
        const first = (before?.sequence ?? 0) + 1;
        const added = lines(before).map((line, at) => ({ sequence: first + at, line: checkLine(line) }));
        if (added[0]) attempt.first = added[0];
        for (let from = 0; from < added.length; from += chunk)
          await insert(transaction, added.slice(from, from + chunk));
      }),
    read: ({ order = "oldest", after, limit = 1000, tool } = {}) => {
      const [isAfter, direction] = order === "oldest" ? ([">", "asc"] as const) : (["<", "desc"] as const);
      let query = rows(store.db).orderBy("sequence", direction).limit(limit);
      if (after !== undefined) query = query.where("sequence", isAfter, after);
      const indexed = tool === undefined ? undefined : indexedTool(tool);
      if (indexed !== undefined) query = query.where(sql.raw(auditToolSql[store.engine]), "=", indexed);
      return query.execute();
    },
    last: () => last(store.db),
    cuts: () => cutsIn(store.db),
    cut: (part) =>
      store.transaction("biplane audit", async (transaction) => {
        const before = (await cutsIn(transaction)).at(-1);
        if (before && before.first !== part.first && before.through !== part.first - 1) return false;
        if (before && before.through >= part.through) return true;
        const { hash, through, file } = part;
        const row = { hash, through, file, cut_at: Date.now() };
        await transaction
          .insertInto("audit_cuts")
          .values({ ...row, first: part.first })
          .onConflict((conflict) => conflict.column("first").doUpdateSet(row))
          .execute();
        await transaction.deleteFrom("audit").where("sequence", "<=", through).execute();
        return true;
      }),
  };
}

function rowsOf(db: SqlStore["db"], engine: SqlStore["engine"]) {
  const wholeLine =
    engine === "sqlite" ? sql<string>`iif(instr(line, char(0)) > 0, hex(line), line)` : sql<string>`line`;
  return db.selectFrom("audit").select(["sequence", wholeLine.as("line")]);
}

/** A line holds the hash of the one before, so that no other writer has written the same one. */
async function isWritten(rows: ReturnType<typeof rowsOf>, { sequence, line }: LogLine): Promise<boolean> {
  return (await rows.where("sequence", "=", sequence).executeTakeFirst())?.line === line;
}

async function cutsIn(db: SqlStore["db"]): Promise<readonly AuditCut[]> {
  return db.selectFrom("audit_cuts").select(["first", "through", "hash", "file"]).orderBy("first").execute();
}

/** Inserts lines. The statement for each number of lines is built once, because that takes longer than to run it. */
function lineInserter(): (db: SqlStore["db"], lines: readonly LogLine[]) => Promise<unknown> {
  const statements = new Map<number, string>();
  return (db, lines) => {
    let statement = statements.get(lines.length);
    if (statement === undefined) {
      statement = db.insertInto("audit").values(lines).compile().sql;
      statements.set(lines.length, statement);
    }
    const values = lines.flatMap(({ sequence, line }) => [sequence, line]);
    return db.executeQuery(CompiledQuery.raw(statement, values));
  };
}

const chunk = 100;

/**
 * SQLite's driver truncates text at a NUL, and Postgres refuses it. We never write one, so a line with a NUL was
 * manipulated: it is read as hex and fails verification.
 */
function checkLine(line: string): string {
  if (!line.includes("\0") && !/\p{Surrogate}/u.test(line)) return line;
  throw new BiplaneError("INVALID_INPUT", "A line of the audit log must be well-formed text without NUL characters.");
}
