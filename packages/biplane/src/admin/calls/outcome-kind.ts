import type { AuditOutcome } from "@biplane/core/internal";

/**
 * How a call ended, in the words of every view. `denied`: a policy, a person, a scope or a limit said no. `asked`: it
 * waits for a person. `invalid`: the call itself was wrong. `error`: it ran and failed.
 */
export type OutcomeKind = "done" | "denied" | "asked" | "invalid" | "error";

export function outcomeKind(outcome: AuditOutcome): OutcomeKind {
  return kinds[outcome];
}

const kinds: Readonly<Record<AuditOutcome, OutcomeKind>> = {
  done: "done",
  suspended: "done",
  APPROVAL_PENDING: "asked",
  APPROVAL_REJECTED: "denied",
  POLICY_DENIED: "denied",
  UNAUTHORIZED: "denied",
  FORBIDDEN: "denied",
  RATE_LIMITED: "denied",
  CAPACITY: "denied",
  INVALID_INPUT: "invalid",
  TOOL_NOT_FOUND: "invalid",
  NOT_FOUND: "invalid",
  CONFLICT: "invalid",
  EPISODE_ENDED: "invalid",
  NOT_SUPPORTED: "invalid",
  INVALID_DEFINITION: "error",
  EXECUTION_ERROR: "error",
  TIMEOUT: "error",
  CANCELLED: "error",
  INTERNAL: "error",
};
