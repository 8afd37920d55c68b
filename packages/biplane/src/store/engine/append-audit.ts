import { linkLines } from "../audit-chain.ts";
import { toolBlocks } from "../audit-tool.ts";
import type { SqliteProcedure, SqliteRunner } from "./sqlite-database.ts";

/**
 * SQLite's driver truncates text at a NUL, and Postgres refuses it. We never write one, so a line with a NUL was
 * manipulated: it is read as hex and fails verification.
 */
export const wholeLine = "iif(instr(line, char(0)) > 0, hex(line), line)";

/** Links unfinished lines, one per line of text, to the last line of the audit log, and appends them. */
export const appendAudit: SqliteProcedure = {
  name: "append audit",
  run(database, [text, after]) {
    const unfinished = String(text).split("\n");
    const [last] = database.run(selectLast, []).rows as readonly AuditRow[];
    const known = last?.sequence ?? 0;
    if (typeof after === "number" && isWritten(database, unfinished[0] ?? "", after)) return reply(known);
    const lines = linkLines(unfinished, last?.line);
    for (let from = 0; from < lines.length;) {
      const count = lines.length - from >= chunk ? chunk : 1;
      const values: unknown[] = [];
      for (let at = from; at < from + count; at++) values.push(known + at + 1, lines[at]);
      database.run(insertOf(count), values);
      from += count;
    }
    for (const { tool, block } of toolBlocks(lines, known + 1)) database.run(insertTool, [tool, block]);
    return reply(known + lines.length);
  },
};

interface AuditRow {
  readonly sequence: number;
  readonly line: string;
}

function reply(last: number) {
  return { rows: [{ last }], changes: 0 };
}

/** True if an earlier try was committed, and only its answer was lost. All lines of a try are written or none. */
function isWritten(database: SqliteRunner, unfinished: string, after: number): boolean {
  const start = `${unfinished},"previous":`;
  return database.run("select 1 from audit where sequence > ? and instr(line, ?) = 1", [after, start]).rows.length > 0;
}

const selectLast = `select sequence, ${wholeLine} as line from audit order by sequence desc limit 1`;

function insertOf(count: number): string {
  return count === 1 ? insertOne : insertChunk;
}

/** Lines that are inserted by one statement. Others are inserted one by one, so that there are only two statements. */
const chunk = 32;
const insertOne = "insert into audit (sequence, line) values (?, ?)";
const insertTool = "insert or ignore into audit_tools (tool, block) values (?, ?)";
const insertChunk = insertOne + ", (?, ?)".repeat(chunk - 1);
