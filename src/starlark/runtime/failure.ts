import type { StarlarkErrorCode } from "../errors.ts";

/**
 * How the inside of the interpreter says that something went wrong. The message is a Starlark (byte) string; the
 * boundary to the host adds the place and the call stack and makes it a `StarlarkError`.
 */
export class Failure extends Error {
  readonly code: StarlarkErrorCode;

  constructor(message: string, code: StarlarkErrorCode = "evaluation", cause?: unknown) {
    // Failures are part of normal evaluation, and the native stack says nothing about the Starlark program.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, cause === undefined ? {} : { cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
  }
}
