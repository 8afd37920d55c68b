import type { Engine } from "./engine/engine.ts";
import type { AuditToolRow } from "./tables.ts";

/** Postgres limits the length of what it indexes. */
const maxLength = 200;
const member = '"tool":"';
const fromTool = `substr(line, instr(line, '${member}') + ${member.length}, ${maxLength})`;

/**
 * The tool of an audit line, in SQL. It is computed from the line, so it cannot say anything else, and it never fails,
 * because a line may have been manipulated. It is read as text, which costs less than parsing JSON: quotes in JSON
 * strings are escaped, and members of the same name in the input come later in the line. It ends before the first quote
 * in the name, if there is one.
 */
export const auditToolSql: Readonly<Record<Engine, string>> = {
  sqlite: `substr(${fromTool}, 1, instr(${fromTool}, '"') - 1)`,
  postgres: `left(substring(line from '"tool":"([^"]*)"'), ${maxLength})`,
};

/** What `auditToolSql` gives for the lines of a tool. Undefined if the name is too long. */
export function indexedTool(tool: string): string | undefined {
  const [indexed = ""] = JSON.stringify(tool).slice(1, -1).split('"', 1);
  return indexed.length < maxLength ? indexed : undefined;
}

/** The lines of a rare tool are found by their block. An index of every line would cost as much as the line itself. */
const blockLines = 128;

export function blockOf(sequence: number): number {
  return Math.floor((sequence - 1) / blockLines);
}

/** True for the lines of a block, in SQL. */
export const isInBlock = `audit.sequence > audit_tools.block * ${blockLines} and audit.sequence <= (audit_tools.block + 1) * ${blockLines}`;

/** Which tools have lines in which blocks. `first` is the sequence number of the first line. */
export function toolBlocks(lines: readonly string[], first: number): readonly AuditToolRow[] {
  const found = new Map<string, AuditToolRow>();
  let last: AuditToolRow | undefined;
  for (const [at, line] of lines.entries()) {
    const tool = toolIn(line);
    const block = blockOf(first + at);
    if (tool === undefined || (tool === last?.tool && block === last.block)) continue;
    last = { tool, block };
    found.set(`${block} ${tool}`, last);
  }
  return [...found.values()];
}

/** The same for all lines, in SQL. */
export function fillAuditTools(engine: Engine, table: (name: string) => string): string {
  const tool = auditToolSql[engine];
  return `insert into ${table("audit_tools")} (tool, block)
    select distinct ${tool}, (sequence - 1) / ${blockLines} from ${table("audit")} where ${tool} is not null`;
}

/** What `auditToolSql` gives for a line, if it is not too long. */
function toolIn(line: string): string | undefined {
  const at = line.indexOf(member);
  const start = at + member.length;
  const end = line.indexOf('"', start);
  return at < 0 || end < 0 || end - start >= maxLength ? undefined : line.slice(start, end);
}
