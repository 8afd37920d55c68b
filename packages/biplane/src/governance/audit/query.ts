import type { AuditOutcome } from "@biplane/core/internal";
import type { AuditLog, LogLine } from "../../store/audit-log.ts";
import { auditPages } from "./pages.ts";
import type { AuditLine } from "./write-line.ts";

export interface AuditQuery {
  readonly tool?: string;
  /** The principal's id. */
  readonly principal?: string;
  readonly code?: AuditOutcome;
  readonly requestId?: string;
  readonly order?: "newest" | "oldest";
  /** Continue after this sequence number, in the requested order. */
  readonly after?: number;
  readonly limit?: number;
}

/**
 * The matching lines, newest first by default. The lines of a tool are found by an index. The other filters
 * scan, so rare matches take as long as the log is. Lines that are not JSON are skipped; `verifyAudit` reports them.
 */
export async function queryAudit(
  { audit }: { readonly audit: AuditLog },
  query: AuditQuery = {},
): Promise<readonly (AuditLine & { readonly sequence: number })[]> {
  const { order = "newest", after, limit = 100, tool } = query;
  const found: (AuditLine & { sequence: number })[] = [];
  if (limit <= 0) return found;
  for await (const page of auditPages(audit, { order, after, tool, limit: Math.min(limit, 1000) })) {
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

function fits(line: AuditLine, { tool, principal, code, requestId }: AuditQuery): boolean {
  if ([tool, principal, code, requestId].every((each) => each === undefined)) return true;
  if (line.kind !== "call") return false;
  return (
    (tool === undefined || line.tool === tool) &&
    (principal === undefined || line.principal.id === principal) &&
    (requestId === undefined || line.requestId === requestId) &&
    (code === undefined || line.outcome === code)
  );
}
