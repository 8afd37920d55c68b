import { problem, problemOf } from "../admin/api/answers.ts";
import type { BiplaneError, ErrorCode } from "../errors.ts";
import type { DoorAnswer } from "../server/doors.ts";

/** What a call that failed is answered with, where the answer is the call's own. */
export function callFailure(error: BiplaneError): DoorAnswer {
  return problemOf(error) ?? problem(statuses[error.code] ?? 502, error.code, error.message);
}

/** Those that the API knows no status for; the rest is the tool's fault. */
const statuses: { readonly [Code in ErrorCode]?: number } = {
  APPROVAL_PENDING: 409,
  APPROVAL_REJECTED: 403,
  EPISODE_ENDED: 409,
  TIMEOUT: 504,
};
