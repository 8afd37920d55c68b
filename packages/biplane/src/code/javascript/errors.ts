import { codeError } from "../code-error.ts";
import type { CodeError } from "../engine.ts";

/** The error of an action that was stopped. */
export function limitError(kind: "limit" | "cancelled", message: string): CodeError {
  return codeError(kind, kind === "limit" ? "LimitError" : "Cancelled", message);
}

export function cpuExceeded(cpuMs: number): string {
  return `The code exceeded its CPU limit of ${cpuMs} ms.`;
}

/** Encodes the error of a failed tool call for the guest. */
export function failedReply(code: string, message: string, details?: unknown): string {
  return `!${JSON.stringify({ code, message, details })}`;
}

/** The reply, or an error instead of one that would not fit into the code's memory. */
export function fittingReply(reply: string, memoryBytes: number): string {
  if (reply.length <= memoryBytes / 4) return reply;
  return failedReply("EXECUTION_ERROR", "The result is too large for the code's memory. Request less data.");
}
