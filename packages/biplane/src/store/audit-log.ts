import { BiplaneError } from "@biplane/core";
import { CompiledQuery, sql } from "kysely";
import { linkLines } from "./audit-chain.ts";
import { auditToolSql, blockOf, indexedTool, isInBlock, toolBlocks } from "./audit-tool.ts";
import { chunks, insertRows } from "./change-rows.ts";
import { appendAudit, wholeLine } from "./engine/append-audit.ts";
import type { SqlStore } from "./sql-store.ts";

/** Append-only lines, numbered from 1 without gaps, even with concurrent writers. */
export interface AuditLog {
  /**
   * Completes unfinished lines, which line breaks separate, with `linkLines`, and appends all or none. They must be
   * well-formed text without NUL. Pass the same `attempt` to each try with the same lines: if an earlier one was
   * committed and only its answer was lost, nothing is written again.
   */
  append(unfinished: string, attempt?: AppendAttempt): Promise<void>;
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

/** What is known of the tries to append the same lines. */
export interface AppendAttempt {
  /** What the last one would have written first. */
  first?: LogLine;
  /** Lines up to this one were there before the first try. */
  after?: number;
}

export interface LogLine {
  readonly sequence: number;
  readonly line: string;
}

/** The audit log of a store. */
export function auditLogOf(store: SqlStore): AuditLog {
  const rows = (db: SqlStore["db"]) => rowsOf(db, store.engine);
  const last = (db: SqlStore["db"]) => rows(db).orderBy("sequence", "desc").limit(1).executeTakeFirst();
  const append = store.engine === "sqlite" ? appendToSqlite(store) : appendInTransaction(store, { rows, last });
  return {
    append: async (unfinished, attempt = {}) => {
      if (unfinished === "") return;
      checkText(unfinished);
      await append(unfinished, attempt);
    },
    read: (options = {}) => {
      const { tool } = options;
      const indexed = tool === undefined ? undefined : indexedTool(tool);
      if (indexed !== undefined) return readTool(store, indexed, options);
      const { order, after, limit = 1000 } = options;
      const [isAfter, direction] = directions[order ?? "oldest"];
      const query = rows(store.db).orderBy("sequence", direction).limit(limit);
      return (after === undefined ? query : query.where("sequence", isAfter, after)).execute();
    },
    last: () => last(store.db),
    cuts: () => cutsIn(store.db),
    cut: (part) =>
      store.transaction("biplane audit", async (transaction) => {
        const before = (await cutsIn(transaction)).at(-1);
        if (before && before.first !== part.first && before.through !== part.first - 1) return false;
        if (before && before.through >= part.through) return true;
        const { first, hash, through, file } = part;
        const row = { first, hash, through, file, cut_at: Date.now() };
        await insertRows(transaction, "audit_cuts", { rows: [row], ifKnown: "replace" });
        await transaction.deleteFrom("audit").where("sequence", "<=", through).execute();
        await transaction
          .deleteFrom("audit_tools")
          .where("block", "<", blockOf(through + 1))
          .execute();
        return true;
      }),
  };
}

/** SQLite links and inserts a group in its own thread: one message, and no work for the event loop. */
function appendToSqlite(store: SqlStore): Append {
  /** A sequence number that was in the log before: a repeated attempt searches only after it. */
  let known: number | undefined;
  return async (unfinished, attempt) => {
    const { after } = attempt;
    attempt.after ??= known ??= await lastSequence(store.db);
    const parameters = [unfinished, after ?? null];
    const { rows } = await store.db.executeQuery<{ last: number }>(CompiledQuery.raw(appendAudit.name, parameters));
    known = rows[0]?.last ?? known;
  };
}

async function lastSequence(db: SqlStore["db"]): Promise<number> {
  const found = await db
    .selectFrom("audit")
    .select(({ fn }) => fn.max("sequence").as("last"))
    .executeTakeFirst();
  return found?.last ?? 0;
}

type Append = (unfinished: string, attempt: AppendAttempt) => Promise<void>;

interface AuditRows {
  readonly rows: (db: SqlStore["db"]) => ReturnType<typeof rowsOf>;
  readonly last: (db: SqlStore["db"]) => Promise<LogLine | undefined>;
}

function appendInTransaction(store: SqlStore, { rows, last }: AuditRows): Append {
  const insert = lineInserter();
  return (unfinished, attempt) =>
    store.transaction("biplane audit", async (transaction) => {
      if (attempt.first && (await isWritten(rows(transaction), attempt.first))) return;
      const before = await last(transaction);
      const first = (before?.sequence ?? 0) + 1;
      const lines = linkLines(unfinished.split("\n"), before?.line);
      const added = lines.map((line, at) => ({ sequence: first + at, line }));
      if (added[0]) attempt.first = added[0];
      for (const part of chunks(added)) await insert(transaction, part);
      await insertRows(transaction, "audit_tools", { rows: toolBlocks(lines, first), ifKnown: "keep" });
    });
}

const directions = { oldest: [">", "asc"], newest: ["<", "desc"] } as const;

/** Reads blocks that have lines of the tool, until there are enough. */
async function readTool(store: SqlStore, tool: string, options: AuditRead): Promise<readonly LogLine[]> {
  const { order = "oldest", after, limit = 1000 } = options;
  const [isAfter, direction] = directions[order];
  const isTool = sql.raw<string>(auditToolSql[store.engine]);
  const found: LogLine[] = [];
  let next = after === undefined ? undefined : blockOf(order === "oldest" ? after + 1 : after - 1);
  for (let count = 8; found.length < limit; count = Math.min(2 * count, 256)) {
    let some = store.db.selectFrom("audit_tools").select("block").where("tool", "=", tool);
    if (next !== undefined) some = some.where("block", order === "oldest" ? ">=" : "<=", next);
    const blocks = (await some.orderBy("block", direction).limit(count).execute()).map(({ block }) => block);
    const last = blocks.at(-1);
    if (last === undefined) break;
    let lines = rowsOf(store.db, store.engine)
      .innerJoin("audit_tools", (join) => join.on(sql.raw<boolean>(isInBlock)))
      .where("audit_tools.tool", "=", tool)
      .where("audit_tools.block", "in", blocks)
      .where(isTool, "=", tool)
      .orderBy("sequence", direction)
      .limit(limit - found.length);
    if (after !== undefined) lines = lines.where("sequence", isAfter, after);
    found.push(...(await lines.execute()));
    if (blocks.length < count) break;
    next = order === "oldest" ? last + 1 : last - 1;
  }
  return found;
}

function rowsOf(db: SqlStore["db"], engine: SqlStore["engine"]) {
  const line = sql.raw<string>(engine === "sqlite" ? wholeLine : "line");
  return db.selectFrom("audit").select(["sequence", line.as("line")]);
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

function checkText(text: string): void {
  if (!text.includes("\0") && isWellFormed(text)) return;
  throw new BiplaneError("INVALID_INPUT", "The audit log takes only well-formed text without NUL characters.");
}

/** True if no half of a surrogate pair stands alone. Node 20 has the method, but the types of ES2023 do not. */
function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}
