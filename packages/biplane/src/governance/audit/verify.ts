import type { AuditCut, AuditLog } from "../../store/audit-log.ts";
import { checkLine, genesis } from "../../store/audit-chain.ts";
import { auditPages } from "./pages.ts";

/** `at` is the sequence number of the first line that is wrong or missing. */
export type AuditVerdict =
  | { readonly ok: true; readonly lines: number; readonly head: string; readonly cut?: AuditCut }
  | { readonly ok: false; readonly at: number; readonly why: string };

/**
 * Checks the hash and position of every line, from the last cut on. `lines` counts those that were cut too. To detect a truncated or rewritten log, pass the `lines` and `head` of an
 * earlier result that you kept elsewhere.
 */
export async function verifyAudit(
  { audit }: { readonly audit: AuditLog },
  options: { expectedLines?: number; expectedHead?: string } = {},
): Promise<AuditVerdict> {
  const { expectedLines, expectedHead } = options;
  const cuts = await audit.cuts();
  const cut = cuts.at(-1);
  let head = cut?.hash ?? genesis;
  let lines = cut?.through ?? 0;
  let isHeadSeen = expectedHead === undefined || [genesis, ...cuts.map(({ hash }) => hash)].includes(expectedHead);
  const exported = cuts.find(({ through }) => (expectedLines ?? Infinity) <= through);
  if (!isHeadSeen && exported)
    return wrong(expectedLines ?? 0, `the line was exported: verify ${exported.file} with the same --lines and --head`);
  for await (const page of auditPages(audit)) {
    for (const { sequence, line } of page) {
      if (sequence !== lines + 1) return wrong(lines + 1, `line ${lines} is followed by line ${sequence}`);
      const checked = checkLine(line, head);
      if ("why" in checked) return wrong(sequence, checked.why);
      lines = sequence;
      head = checked.hash;
      isHeadSeen ||= head === expectedHead;
      if (lines === expectedLines && !isHeadSeen) return wrong(lines, "the line does not have the expected hash");
    }
  }
  if (lines < (expectedLines ?? 0)) return wrong(lines + 1, `the log ends before line ${expectedLines}`);
  if (!isHeadSeen) return wrong(lines + 1, "the log has no line with the expected hash");
  return { ok: true, lines, head, ...(cut && { cut }) };
}

/** How far a check of a long log has got. */
export interface AuditCheck {
  readonly ok: boolean;
  readonly lines: number;
  readonly total: number;
  readonly head: string;
  readonly next: number | null;
  readonly why: string | null;
}

/** Checks the next lines, so that a request is short however long the log is. Pass `after` and `head` of the last part. */
export async function verifyAuditPart(
  { audit }: { readonly audit: AuditLog },
  { after, head: known }: { after?: number; head?: string },
): Promise<AuditCheck> {
  const cut = (await audit.cuts()).at(-1);
  const isStart = after === undefined || known === undefined || after < (cut?.through ?? 0);
  let lines = isStart ? (cut?.through ?? 0) : after;
  let head = isStart ? (cut?.hash ?? genesis) : known;
  const total = (await audit.last())?.sequence ?? lines;
  const stop = (why: string): AuditCheck => ({ ok: false, lines, total, head, next: null, why });
  const end = lines + linesPerPart;
  for await (const page of auditPages(audit, { after: lines })) {
    for (const { sequence, line } of page) {
      if (sequence !== lines + 1) return stop(`entry ${lines} is followed by entry ${sequence}`);
      const checked = checkLine(line, head);
      if ("why" in checked) return stop(`entry ${sequence}: ${checked.why}`);
      lines = sequence;
      head = checked.hash;
    }
    if (lines >= end) return { ok: true, lines, total: Math.max(total, lines), head, next: lines, why: null };
  }
  return { ok: true, lines, total: Math.max(total, lines), head, next: null, why: null };
}

/** Some hundred milliseconds. */
const linesPerPart = 10_000;

function wrong(at: number, why: string): AuditVerdict {
  return { ok: false, at, why };
}
