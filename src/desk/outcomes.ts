import type { ErrorCode } from "../errors.ts";
import type { AuditOutcome } from "../call/audit.ts";

const codes = {
  INVALID_DEFINITION: true,
  UNAUTHORIZED: true,
  TOOL_NOT_FOUND: true,
  INVALID_INPUT: true,
  POLICY_DENIED: true,
  APPROVAL_PENDING: true,
  APPROVAL_REJECTED: true,
  RATE_LIMITED: true,
  TIMEOUT: true,
  EXECUTION_ERROR: true,
  CANCELLED: true,
  EPISODE_ENDED: true,
  CAPACITY: true,
  NOT_SUPPORTED: true,
  INTERNAL: true,
} as const satisfies Readonly<Record<ErrorCode, true>>;

/** Everything a call can come to; a code that grows elsewhere does not compile until it grows here. */
export const outcomes: readonly AuditOutcome[] = ["done", "suspended", ...(Object.keys(codes) as ErrorCode[])];
