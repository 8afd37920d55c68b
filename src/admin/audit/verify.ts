import type { Logs } from "../../store/store.ts";
import { check, genesis } from "./chain.ts";
import { oldestFirst } from "./pages.ts";

/** What was found: `at` is the number of the first line that is wrong, or of the first that is missing. */
export type AuditVerdict =
  | { readonly ok: true; readonly lines: number; readonly head: string }
  | { readonly ok: false; readonly at: number; readonly why: string };

/**
 * Walks the whole log and checks that every line is as it was written, and where it was. That lines at the end were cut
 * off, or all lines written anew, shows only against what an earlier verdict said and was remembered elsewhere: give its
 * `lines` and `head`.
 */
export async function verifyAudit(
  store: Logs,
  options: { expectedLines?: number; expectedHead?: string } = {},
): Promise<AuditVerdict> {
  const { expectedLines, expectedHead } = options;
  let head = genesis;
  let lines = 0;
  let isHeadSeen = expectedHead === undefined || expectedHead === genesis;
  for await (const page of oldestFirst(store)) {
    for (const { sequence, line } of page) {
      if (sequence !== lines + 1) return wrong(lines + 1, `after line ${lines} comes number ${sequence}`);
      const checked = check(line, head);
      if ("why" in checked) return wrong(sequence, checked.why);
      lines = sequence;
      head = checked.hash;
      isHeadSeen ||= head === expectedHead;
      if (lines === expectedLines && !isHeadSeen) return wrong(lines, "it is not the line that was expected there");
    }
  }
  if (lines < (expectedLines ?? 0)) return wrong(lines + 1, `the log ends before line ${expectedLines}`);
  if (!isHeadSeen) return wrong(lines + 1, "the log has no line with the expected hash");
  return { ok: true, lines, head };
}

function wrong(at: number, why: string): AuditVerdict {
  return { ok: false, at, why };
}
