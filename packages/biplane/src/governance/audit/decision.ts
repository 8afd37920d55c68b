import type { AuditEntry, AuditOutcome } from "@biplane/core/internal";

/** `denied` by a policy or a limit, `rejected` by a person, `refused` because the call itself was invalid. */
export type AuditDecision = "allowed" | "approved" | "asked" | "rejected" | "denied" | "refused";

/** A call that ran was allowed, whatever code its tool failed with. */
export function decisionOf({ ran, outcome, approvedBy, asked }: AuditEntry): AuditDecision {
  const decision = ran ? "allowed" : decisions[outcome];
  if (decision !== "allowed") return decision;
  if (asked) return "asked";
  return approvedBy === undefined ? "allowed" : "approved";
}

const decisions: Readonly<Record<AuditOutcome, AuditDecision>> = {
  done: "allowed",
  suspended: "allowed",
  TIMEOUT: "allowed",
  EXECUTION_ERROR: "allowed",
  CANCELLED: "allowed",
  INTERNAL: "allowed",
  APPROVAL_PENDING: "asked",
  APPROVAL_REJECTED: "rejected",
  POLICY_DENIED: "denied",
  UNAUTHORIZED: "denied",
  FORBIDDEN: "denied",
  INVALID_DEFINITION: "refused",
  TOOL_NOT_FOUND: "refused",
  NOT_FOUND: "refused",
  CONFLICT: "refused",
  INVALID_INPUT: "refused",
  RATE_LIMITED: "denied",
  EPISODE_ENDED: "refused",
  CAPACITY: "denied",
  NOT_SUPPORTED: "refused",
};
