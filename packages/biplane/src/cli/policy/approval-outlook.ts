import { BiplaneError } from "@biplane/core";
import type { SqlStore } from "../../store/sql-store.ts";
import { compilePattern, messageOf, subjectHash } from "@biplane/core/internal";
import type { CallFacts } from "@biplane/core/internal";
import { openApprovals } from "../../governance/approvals/approvals.ts";
import type { Approvals } from "../../governance/approvals/approvals.ts";
import { grantFor } from "../../governance/approvals/grants.ts";
import type { RecordedCall } from "./recorded-call.ts";

export interface OutlookOptions {
  /** The rule that asks: a standing approval answers one rule. */
  readonly rule: string;
  readonly facts: CallFacts;
  readonly recorded: RecordedCall | undefined;
}

/** What the stored approvals would do with a call that the policies ask about, as a sentence. */
export async function approvalOutlook(store: SqlStore, options: OutlookOptions): Promise<string> {
  await using approvals = openApprovals({ store });
  for (const subject of await subjectsOf(approvals, options)) {
    const found = await outlookFor(approvals, subject, options);
    if (found !== undefined) return `Approval: ${found}`;
  }
  return "Approval: none. The call would wait for a person.";
}

/** Whether a pattern of `biplane approvals approve --pattern` covers the call. */
export function patternOutlook(written: string, facts: CallFacts): string {
  try {
    const isCovered = compilePattern({ tool: facts.tool, ...(JSON.parse(written) as object) })(facts);
    return `Pattern: ${isCovered ? "covers this call" : "does not cover this call"}.`;
  } catch (error) {
    throw new BiplaneError("INVALID_INPUT", `The pattern cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

/** The server, and the hash of what an approval covers. */
interface Subject {
  readonly server: string;
  readonly hash: string;
}

/** A line of the audit log does not name its server, so every server that has approvals is tried. */
async function subjectsOf(approvals: Approvals, { facts, recorded }: OutlookOptions): Promise<readonly Subject[]> {
  if (recorded?.subject) return [recorded.subject];
  const { tool, input } = facts;
  const known = [...(await approvals.grants()), ...(await approvals.rejections()), ...(await approvals.list({ tool }))];
  const servers = new Set(known.map(({ server }) => server));
  return [...servers].map((server) => ({ server, hash: subjectHash([server, tool, input]) }));
}

async function outlookFor(
  approvals: Approvals,
  { server, hash }: Subject,
  { rule, facts }: OutlookOptions,
): Promise<string | undefined> {
  const { tool, input, agent, principal, route, mode, now } = facts;
  const rejection = (await approvals.rejections()).find((each) => each.hash === hash);
  if (rejection) return `rejected by ${rejection.refusedBy}: ${rejection.reason}`;
  const call = { tool, agent, principal, route };
  const grant = grantFor(
    rule,
    { call, server, mode, input, subject: undefined, hash },
    { grants: await approvals.grants(), now },
  );
  if (grant) return `approved by ${grant.grantedBy}, always (${grant.id}). The call would run.`;
  const records = await approvals.list({ server, tool, principal: principal.id });
  const record = records.find((each) => each.hash === hash && each.principal.kind === principal.kind);
  if (record?.status === "approved") return `approved once by ${record.answeredBy ?? "unknown"}. The call would run.`;
  if (record?.status === "waiting")
    return `waits for an answer. Run biplane approvals approve ${record.id}, or reject it.`;
  return undefined;
}
