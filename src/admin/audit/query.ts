import type { LogLine, Logs } from "../../store/store.ts";
import type { AuditOutcome } from "../../call/audit.ts";
import { newestFirst, oldestFirst } from "./pages.ts";
import type { AuditLine } from "./write-line.ts";

export interface AuditQuery {
  readonly tool?: string;
  /** The principal's id. */
  readonly principal?: string;
  readonly code?: AuditOutcome;
  readonly order?: "newest" | "oldest";
  /** Goes on after the line with this number, in the order asked for. */
  readonly after?: number;
  readonly limit?: number;
}

/**
 * The lines that fit, newest first unless asked otherwise. It reads the log, not an index: a rare tool takes as long as
 * the log is. Lines that are no JSON are passed over; `verifyAudit` finds them.
 */
export async function queryAudit(
  store: Logs,
  query: AuditQuery = {},
): Promise<readonly (AuditLine & { readonly sequence: number })[]> {
  const { order = "newest", after, limit = 100 } = query;
  const found: (AuditLine & { sequence: number })[] = [];
  if (limit <= 0) return found;
  for await (const page of order === "newest" ? newestFirst(store, after) : oldestFirst(store, after)) {
    for (const row of page) {
      const line = parse(row);
      if (line && fits(line, query)) found.push({ ...line, sequence: row.sequence });
      if (found.length >= limit) return found;
    }
  }
  return found;
}

function parse({ line }: LogLine): AuditLine | undefined {
  try {
    return JSON.parse(line) as AuditLine;
  } catch {
    return undefined;
  }
}

function fits(line: AuditLine, { tool, principal, code }: AuditQuery): boolean {
  if (tool === undefined && principal === undefined && code === undefined) return true;
  if (line.kind !== "call") return false;
  return (
    (tool === undefined || line.tool === tool) &&
    (principal === undefined || line.principal.id === principal) &&
    (code === undefined || line.outcome === code)
  );
}
