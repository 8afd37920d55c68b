import type { Engine } from "./engine/engine.ts";

/** Postgres limits the length of what it indexes. */
const maxLength = 200;
const fromTool = `substr(line, instr(line, '"tool":"') + 8, ${maxLength})`;

/**
 * The tool of an audit line, in SQL: exactly as in the index on it, so a change needs a migration. It is computed from the
 * line, so it cannot say anything else, and it never fails, because a line may have been manipulated. It is read as
 * text, which costs less than parsing JSON: quotes in JSON strings are escaped, and members of the same name in the
 * input come later in the line. It ends before the first quote in the name, if there is one.
 */
export const auditToolSql: Readonly<Record<Engine, string>> = {
  sqlite: `substr(${fromTool}, 1, instr(${fromTool}, '"') - 1)`,
  postgres: `left(substring(line from '"tool":"([^"]*)"'), ${maxLength})`,
};

/** What `auditToolSql` gives for the lines of a tool. Undefined if the name is too long for the index. */
export function indexedTool(tool: string): string | undefined {
  const [indexed = ""] = JSON.stringify(tool).slice(1, -1).split('"', 1);
  return indexed.length < maxLength ? indexed : undefined;
}
