import type { Route } from "@biplane/core";
import type { AuditOutcome } from "@biplane/core/internal";
import type { AuditLog, LogLine } from "../../store/audit-log.ts";
import type { AuditRange } from "./audit-range.ts";
import type { AuditDecision } from "./decision.ts";
import { auditPages } from "./pages.ts";
import type { AuditLine } from "./write-line.ts";

export interface AuditQuery {
  readonly tool?: string;
  /** The principal's id. */
  readonly principal?: string;
  readonly code?: AuditOutcome;
  readonly decision?: AuditDecision;
  /** `people` for actions by people. */
  readonly route?: Route;
  /** Only these lines. */
  readonly range?: AuditRange | undefined;
  /** Lines to read at most (default: all). */
  readonly maxExamined?: number;
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
): Promise<readonly NumberedLine[]> {
  return (await find(audit, query)).lines;
}

/**
 * One page of the matching lines. It reads a limited number of lines, so a page of rare matches may be short. It is the
 * last one only if `next` is null.
 */
export function queryAuditPage(
  { audit }: { readonly audit: AuditLog },
  query: AuditQuery,
): Promise<{ readonly lines: readonly NumberedLine[]; readonly next: number | null }> {
  return find(audit, { maxExamined: maxExaminedLines, ...query });
}

export type NumberedLine = AuditLine & { readonly sequence: number };

const maxExaminedLines = 50_000;

async function find(audit: AuditLog, query: AuditQuery): Promise<{ lines: NumberedLine[]; next: number | null }> {
  const { order = "newest", limit = 100, maxExamined = Infinity, range, tool } = query;
  const lines: NumberedLine[] = [];
  if (limit <= 0) return { lines, next: null };
  let examined = 0;
  const after = startOf(query);
  for await (const page of auditPages(audit, { order, after, tool, limit: Math.min(limit, 1000) })) {
    for (const row of page) {
      if (range && (order === "newest" ? row.sequence < range.first : row.sequence > range.last))
        return { lines, next: null };
      const line = parse(row);
      if (line && fits(line, query)) lines.push({ ...line, sequence: row.sequence });
      if (lines.length >= limit || ++examined >= maxExamined) return { lines, next: row.sequence };
    }
  }
  return { lines, next: null };
}

function startOf({ order = "newest", after, range }: AuditQuery): number | undefined {
  if (!range) return after;
  return order === "newest"
    ? Math.min(after ?? Infinity, range.last + 1)
    : Math.max(after ?? -Infinity, range.first - 1);
}

function parse({ line }: LogLine): AuditLine | undefined {
  try {
    return JSON.parse(line) as AuditLine;
  } catch {
    return undefined;
  }
}

function fits(line: AuditLine, { tool, principal, code, decision, route, requestId }: AuditQuery): boolean {
  if ([tool, principal, code, decision, route, requestId].every((each) => each === undefined)) return true;
  if (line.kind !== "call") return false;
  return (
    (tool === undefined || line.tool === tool) &&
    (principal === undefined || line.principal.id === principal) &&
    (requestId === undefined || line.requestId === requestId) &&
    (decision === undefined || line.decision === decision) &&
    (route === undefined || line.route === route) &&
    (code === undefined || line.outcome === code)
  );
}
