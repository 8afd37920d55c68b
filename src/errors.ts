/**
 * Every way things can fail. Each wire translates these codes; no wire has codes of its own inside the house.
 * All but the first are outcomes of a call; `INVALID_DEFINITION` is thrown where a tool, server or option is written.
 */
export type ErrorCode =
  | "INVALID_DEFINITION"
  | "UNAUTHORIZED"
  | "TOOL_NOT_FOUND"
  | "INVALID_INPUT"
  | "POLICY_DENIED"
  | "APPROVAL_PENDING"
  | "APPROVAL_REJECTED"
  | "RATE_LIMITED"
  | "TIMEOUT"
  | "EXECUTION_ERROR"
  | "CANCELLED"
  | "EPISODE_ENDED"
  | "CAPACITY"
  | "NOT_SUPPORTED"
  | "INTERNAL";

/** The one error class. `details` is data a wire may pass on; `cause` stays inside the process. */
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

/** What user code threw, as one of ours: ours pass unchanged, anything else becomes `code` with its message. */
export function asBiplaneError(thrown: unknown, code: ErrorCode = "EXECUTION_ERROR"): BiplaneError {
  if (isOurs(thrown)) return thrown;
  return new BiplaneError(code, messageOf(thrown), { cause: thrown });
}

/** A thrown thing in one sentence, whatever it is. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message || thrown.name : thrown);
  } catch {
    return "something that cannot be printed was thrown";
  }
}

/** A proxy may throw even when it is only asked what it is. */
function isOurs(thrown: unknown): thrown is BiplaneError {
  try {
    return thrown instanceof BiplaneError;
  } catch {
    return false;
  }
}
