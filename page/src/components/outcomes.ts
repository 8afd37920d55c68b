import type { AuditOutcome } from "../../../src/call/audit.ts";
import { outcomeWord } from "./badge.tsx";

const known: { readonly [Outcome in AuditOutcome]: true } = {
  done: true,
  suspended: true,
  EXECUTION_ERROR: true,
  TIMEOUT: true,
  CANCELLED: true,
  POLICY_DENIED: true,
  APPROVAL_PENDING: true,
  APPROVAL_REJECTED: true,
  UNAUTHORIZED: true,
  RATE_LIMITED: true,
  CAPACITY: true,
  INVALID_INPUT: true,
  TOOL_NOT_FOUND: true,
  NOT_SUPPORTED: true,
  EPISODE_ENDED: true,
  INVALID_DEFINITION: true,
  INTERNAL: true,
};

interface Choice {
  readonly value: string;
  readonly title: string;
}

export const everyOutcome: Choice = { value: "", title: "Every outcome" };

/** Everything that a call can come to, to choose from. */
export const outcomes: readonly Choice[] = Object.keys(known).map((value) => ({ value, title: outcomeWord(value) }));
