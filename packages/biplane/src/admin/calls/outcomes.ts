import type { ErrorCode } from "@biplane/core";
import type { AuditOutcome } from "@biplane/core/internal";

const codes = {
  INVALID_DEFINITION: true,
  UNAUTHORIZED: true,
  FORBIDDEN: true,
  TOOL_NOT_FOUND: true,
  NOT_FOUND: true,
  INVALID_INPUT: true,
  POLICY_DENIED: true,
  APPROVAL_PENDING: true,
  APPROVAL_REJECTED: true,
  RATE_LIMITED: true,
  TIMEOUT: true,
  EXECUTION_ERROR: true,
  CANCELLED: true,
  CONFLICT: true,
  EPISODE_ENDED: true,
  CAPACITY: true,
  NOT_SUPPORTED: true,
  INTERNAL: true,
} as const satisfies Readonly<Record<ErrorCode, true>>;

/** Every outcome of a call. The `satisfies` check makes a missing error code a compile error. */
export const outcomes: readonly AuditOutcome[] = ["done", "suspended", ...(Object.keys(codes) as ErrorCode[])];
