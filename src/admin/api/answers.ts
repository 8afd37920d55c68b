import { BiplaneError } from "../../errors.ts";
import type { ErrorCode } from "../../errors.ts";
import type { DoorAnswer } from "../../server/doors.ts";

/** The shapes in which the API answers: JSON, nothing, or `{ error, message }`. */
export const found = (body: object): DoorAnswer => ({ status: 200, body });
export const made = (body: object): DoorAnswer => ({ status: 201, body });
export const nothing: DoorAnswer = Object.freeze({ status: 204 });

export function notFound(message: string): DoorAnswer {
  return problem(404, "NOT_FOUND", message);
}

export function problem(
  status: number,
  error: string,
  message: string,
  headers?: Readonly<Record<string, string>>,
): DoorAnswer {
  return { status, body: { error, message }, ...(headers && { headers }) };
}

/** An error as an answer, or undefined where it is none for a person's eyes. */
export function problemOf(error: unknown): DoorAnswer | undefined {
  if (!(error instanceof BiplaneError)) return undefined;
  const status = statuses[error.code];
  if (status === undefined) return undefined;
  const retryMs = error.details?.["retryAfterMs"];
  const headers = typeof retryMs === "number" ? { "retry-after": String(Math.ceil(retryMs / 1000)) } : undefined;
  return problem(status, status === 404 ? "NOT_FOUND" : error.code, error.message, headers);
}

/** Who is asked for credentials is asked before any route; behind it, `UNAUTHORIZED` is a thing one may not do. */
const statuses: { readonly [Code in ErrorCode]?: number } = {
  INVALID_INPUT: 400,
  UNAUTHORIZED: 403,
  POLICY_DENIED: 403,
  TOOL_NOT_FOUND: 404,
  RATE_LIMITED: 429,
  CAPACITY: 503,
  NOT_SUPPORTED: 501,
};
