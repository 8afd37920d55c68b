import type { Approvals } from "../admin/approvals/approvals.ts";
import type { ScriptApprovals, Standing } from "../pack/script/standing.ts";

/** What the approvals of a server say about its scripts: the same records that decide whether one runs. */
export function scriptApprovals(approvals: Approvals, server: string): ScriptApprovals {
  return {
    standing: async ({ file, sha256 }) => {
      const decisions = await decisionsOn(file, approvals, server);
      const own = decisions.filter((decision) => decision.sha256 === sha256);
      const [refused] = own.filter(({ status }) => status === "rejected");
      const [approved] = own.filter(({ status, isUsed }) => status === "approved" && !isUsed);
      if (refused) return refused;
      if (approved) return approved;
      const before = decisions.find((decision) => decision.status === "approved" && decision.sha256 !== sha256);
      return before ? { status: "modified" } : { status: "pending" };
    },
  };
}

/** The text that was last approved under this name, for comparing. */
export async function approvedSource(
  approvals: Approvals,
  server: string,
  file: string,
): Promise<Approved | undefined> {
  const approved = (await decisionsOn(file, approvals, server)).filter(({ status }) => status === "approved");
  const newest = approved.sort((one, other) => ((one.at ?? "") < (other.at ?? "") ? 1 : -1))[0];
  return newest && { source: newest.source, sha256: newest.sha256, by: newest.by, at: newest.at };
}

interface Approved {
  readonly source: string;
  readonly sha256: string;
  readonly by: string | undefined;
  readonly at: string | undefined;
}

interface Decision extends Standing {
  readonly sha256: string;
  readonly source: string;
  /** A yes for one run that has been made. */
  readonly isUsed?: boolean;
}

async function decisionsOn(file: string, approvals: Approvals, server: string): Promise<Decision[]> {
  const [refusals, grants, asked] = await Promise.all([
    approvals.refusals(),
    approvals.grants(),
    approvals.list({ limit: mostAsked }),
  ]);
  const found: { server: string; subject?: unknown; standing: Standing; isUsed?: boolean }[] = [
    ...refusals.map(({ refusedBy: by, refusedAt: at, reason, ...rest }) => {
      return { ...rest, standing: { status: "rejected" as const, by, at, reason } };
    }),
    ...grants.map(({ grantedBy: by, grantedAt: at, ...rest }) => {
      return { ...rest, standing: { status: "approved" as const, by, at } };
    }),
    ...asked
      .filter(({ status }) => status === "approved" || status === "used" || status === "rejected")
      .map(({ status, answeredBy: by, answeredAt: at, reason, ...rest }) => {
        const isNo = status === "rejected";
        const standing: Standing = { status: isNo ? "rejected" : "approved", by, at, ...(isNo && { reason }) };
        return { ...rest, standing, isUsed: status === "used" };
      }),
  ];
  return found.flatMap((record) => {
    const subject = record.server === server ? scriptIn(record.subject) : undefined;
    if (subject?.script !== file) return [];
    const { sha256, source } = subject;
    return [{ ...record.standing, sha256, source, isUsed: record.isUsed ?? false }];
  });
}

const mostAsked = 1000;

function scriptIn(subject: unknown): { script: string; sha256: string; source: string } | undefined {
  if (typeof subject !== "object" || subject === null) return undefined;
  const { script, sha256, source } = subject as Readonly<Record<string, unknown>>;
  if (typeof script !== "string" || typeof sha256 !== "string" || typeof source !== "string") return undefined;
  return { script, sha256, source };
}
