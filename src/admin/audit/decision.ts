import type { AuditOutcome } from "../../call/audit.ts";

/** `denied` by a rule, `rejected` by somebody who was asked, `refused` for what is wrong with the call itself. */
export type AuditDecision = "allowed" | "approved" | "asked" | "rejected" | "denied" | "refused";

export function decisionOf(outcome: AuditOutcome, approvedBy: string | undefined): AuditDecision {
  const decision = decisions[outcome];
  return decision === "allowed" && approvedBy !== undefined ? "approved" : decision;
}

/** A call that may have run counts as allowed, even if it was cancelled or broke before it did. */
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
  INVALID_DEFINITION: "refused",
  TOOL_NOT_FOUND: "refused",
  INVALID_INPUT: "refused",
  RATE_LIMITED: "refused",
  EPISODE_ENDED: "refused",
  CAPACITY: "refused",
  NOT_SUPPORTED: "refused",
};
