import { BiplaneError } from "@biplane/core";
import type { CodeError, CodeResult } from "./engine.ts";

/** An error of an action that is not the error of a tool call. */
export function codeError(kind: CodeError["kind"], name: string, message: string): CodeError {
  return { kind, name, message, code: undefined, trace: undefined };
}

/** The result of an action that printed nothing. */
export function codeFailure(error: CodeError): CodeResult {
  return { value: undefined, stdout: "", stderr: "", truncated: false, error };
}

/** True if an action was aborted because its time is up. Any other reason is a cancellation. */
export function isTimeout(reason: unknown): reason is BiplaneError {
  return reason instanceof BiplaneError && reason.code === "TIMEOUT";
}
