import type { ErrorCode } from "../../errors.ts";
import type { AgentContext, Principal, Route } from "../../tool/call.ts";

/** What one call came to. It is read when the log is written, a moment later: nothing in it may change. */
export interface AuditEntry {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly principal: Pick<Principal, "kind" | "id">;
  readonly agent: Pick<AgentContext, "agentId" | "model" | "requestId">;
  readonly tool: string;
  readonly route: Route;
  readonly session: string | undefined;
  readonly episode: string | undefined;
  /** Already without secrets. */
  readonly input: unknown;
  /** Whether somebody was asked and said yes. */
  readonly approved: boolean;
  readonly outcome: AuditOutcome;
  /** What an error said. */
  readonly message: string | undefined;
  readonly durationMs: number;
}

export type AuditOutcome = "done" | "suspended" | ErrorCode;

/** `denied` by a rule, `rejected` by somebody who was asked, `refused` for what is wrong with the call itself. */
export type AuditDecision = "allowed" | "approved" | "asked" | "rejected" | "denied" | "refused";

export function decisionOf(outcome: AuditOutcome, approved: boolean): AuditDecision {
  const decision = decisions[outcome];
  return decision === "allowed" && approved ? "approved" : decision;
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
