import type { StarlarkErrorCode } from "../errors.ts";

/**
 * An error inside the interpreter. The message is a Starlark (byte) string. The boundary to the host adds location and
 * call stack and turns it into a `StarlarkError`.
 */
export class Failure extends Error {
  readonly code: StarlarkErrorCode;

  constructor(message: string, code: StarlarkErrorCode = "evaluation", cause?: unknown) {
    // Skip the native stack trace: it is costly and says nothing about the Starlark program.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, cause === undefined ? {} : { cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
  }
}
