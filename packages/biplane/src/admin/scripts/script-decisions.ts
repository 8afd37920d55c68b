import type { Approvals } from "../../governance/approvals/approvals.ts";
import type { ScriptApprovals, ScriptApprovalState } from "../../pack/script/approval-state.ts";

/** One decision about the exact bytes of a script. */
export interface ScriptDecision {
  readonly sha256: string;
  readonly source: string;
  readonly status: "approved" | "rejected";
  readonly by: string;
  readonly at: string;
  readonly reason?: string | undefined;
  /** True for an approval of a single run that has been used. */
  readonly isUsed: boolean;
}

/** The decisions about a server's scripts, from the same records that decide whether they run. */
export function scriptApprovals(approvals: Approvals, server: string): ScriptApprovals {
  return { stateOf: async (script) => approvalStateIn(await decisionsOf(approvals, server), script) };
}

/** Reads them once for many scripts. */
export async function decisionsOf(approvals: Approvals, server: string): Promise<ScriptDecisions> {
  const [refusals, grants, asked] = await Promise.all([
    approvals.rejections(),
    approvals.grants(),
    approvals.list({ limit: maxApprovals, server }),
  ]);
  const found: Found[] = [
    ...refusals.map(({ refusedBy: by, refusedAt: at, reason, ...rest }): Found => {
      return { ...rest, decision: { status: "rejected", by, at, reason, isUsed: false } };
    }),
    ...grants.map(({ grantedBy: by, grantedAt: at, ...rest }): Found => {
      return { ...rest, decision: { status: "approved", by, at, isUsed: false } };
    }),
    ...asked
      .filter(({ status }) => status === "approved" || status === "used" || status === "rejected")
      .map(({ status, answeredBy: by = "", answeredAt: at = "", reason, ...rest }): Found => {
        const isRejected = status === "rejected";
        return {
          ...rest,
          decision: {
            status: isRejected ? "rejected" : "approved",
            by,
            at,
            isUsed: status === "used",
            ...(isRejected && { reason }),
          },
        };
      }),
  ];
  const byFile = new Map<string, ScriptDecision[]>();
  for (const record of found) {
    const subject = record.server === server ? scriptIn(record.subject) : undefined;
    if (!subject) continue;
    const { script, sha256, source } = subject;
    const decision = { ...record.decision, sha256, source };
    const others = byFile.get(script);
    if (others) others.push(decision);
    else byFile.set(script, [decision]);
  }
  return { on: (file) => byFile.get(file) ?? [] };
}

export interface ScriptDecisions {
  on(file: string): readonly ScriptDecision[];
}

/** The approval state of these bytes. A rejection overrides an approval. */
export function approvalStateIn(
  decisions: ScriptDecisions,
  { file, sha256 }: { file: string; sha256: string },
): ScriptApprovalState {
  const all = decisions.on(file);
  const own = all.filter((decision) => decision.sha256 === sha256);
  const decided =
    own.find(({ status }) => status === "rejected") ??
    own.find(({ status, isUsed }) => status === "approved" && !isUsed);
  if (decided) {
    const { status, by, at, reason } = decided;
    return { status, by, at, reason };
  }
  const [last] = all
    .filter((decision) => decision.status === "approved" && decision.sha256 !== sha256)
    .toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at));
  return last ? { status: "modified", last: { by: last.by, at: last.at } } : { status: "pending" };
}

const maxApprovals = 1000;

interface Found {
  readonly server: string;
  readonly subject?: unknown;
  readonly decision: Omit<ScriptDecision, "sha256" | "source">;
}

function scriptIn(subject: unknown): { script: string; sha256: string; source: string } | undefined {
  if (typeof subject !== "object" || subject === null) return undefined;
  const { script, sha256, source } = subject as Readonly<Record<string, unknown>>;
  if (typeof script !== "string" || typeof sha256 !== "string" || typeof source !== "string") return undefined;
  return { script, sha256, source };
}
