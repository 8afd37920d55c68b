/**
 * All error codes. Each wire protocol maps them to its own. `INVALID_DEFINITION` is thrown while you define a tool,
 * server or option; all others are outcomes of a call or a request. `UNAUTHORIZED`: the caller is unknown. `FORBIDDEN`:
 * it is known, but lacks a right. `CONFLICT`: the thing changed meanwhile.
 */
export const errorCodes = [
  "INVALID_DEFINITION",
  "UNAUTHORIZED",
  "FORBIDDEN",
  "TOOL_NOT_FOUND",
  "NOT_FOUND",
  "INVALID_INPUT",
  "POLICY_DENIED",
  "APPROVAL_PENDING",
  "APPROVAL_REJECTED",
  "RATE_LIMITED",
  "TIMEOUT",
  "EXECUTION_ERROR",
  "CANCELLED",
  "CONFLICT",
  "EPISODE_ENDED",
  "CAPACITY",
  "NOT_SUPPORTED",
  "INTERNAL",
] as const;
/** The codes of `BiplaneError`, the same over every protocol. */
export type ErrorCode = (typeof errorCodes)[number];

/** The only error class. Wire protocols may send `details`; `cause` never leaves the process. */
export class BiplaneError extends Error {
  override readonly name = "BiplaneError";
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown; details?: Record<string, unknown> }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options?.details;
  }
}

/** Wraps anything that is not a `BiplaneError`, keeping its message and cause. */
export function asBiplaneError(thrown: unknown, code: ErrorCode = "EXECUTION_ERROR"): BiplaneError {
  if (isBiplaneError(thrown)) return thrown;
  return new BiplaneError(code, messageOf(thrown), { cause: thrown });
}

/** The message of any thrown value. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message || thrown.name : thrown);
  } catch {
    return "A value that cannot be converted to a string was thrown.";
  }
}

/** `instanceof` itself can throw, for example on a revoked proxy. */
function isBiplaneError(thrown: unknown): thrown is BiplaneError {
  try {
    return thrown instanceof BiplaneError;
  } catch {
    return false;
  }
}
