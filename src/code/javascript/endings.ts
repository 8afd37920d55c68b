import type { CodeError } from "../engine.ts";

/** An action that had to end, as its result tells it. */
export function limitError(kind: "limit" | "cancelled", message: string): CodeError {
  return { kind, name: kind === "limit" ? "LimitError" : "Cancelled", message, code: undefined, trace: undefined };
}

/** The reply to a call that failed. */
export function failure(code: string, message: string, details?: unknown): string {
  return `!${JSON.stringify({ code, message, details })}`;
}
