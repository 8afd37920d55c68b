import type { ErrorCode } from "../errors.ts";
import type { AuditOutcome } from "../call/audit.ts";
import type { Principal, Route } from "../tool/call.ts";

const codes = {
  INVALID_DEFINITION: true,
  UNAUTHORIZED: true,
  TOOL_NOT_FOUND: true,
  INVALID_INPUT: true,
  POLICY_DENIED: true,
  APPROVAL_PENDING: true,
  APPROVAL_REJECTED: true,
  RATE_LIMITED: true,
  TIMEOUT: true,
  EXECUTION_ERROR: true,
  CANCELLED: true,
  EPISODE_ENDED: true,
  CAPACITY: true,
  NOT_SUPPORTED: true,
  INTERNAL: true,
} as const satisfies Readonly<Record<ErrorCode, true>>;

const routeNames = {
  mcp: true,
  execute: true,
  step: true,
  code: true,
  script: true,
  app: true,
  schedule: true,
  direct: true,
  people: true,
} as const satisfies Readonly<Record<Route, true>>;

const principalKinds = {
  token: true,
  trainer: true,
  local: true,
  anonymous: true,
  person: true,
} as const satisfies Readonly<Record<Principal["kind"], true>>;

/** The closed lists that the API's answers draw from; one that grows elsewhere does not compile until it grows here. */
export const outcomes: readonly AuditOutcome[] = ["done", "suspended", ...keysOf(codes)];
export const routes: readonly Route[] = keysOf(routeNames);
export const kinds: readonly Principal["kind"][] = keysOf(principalKinds);

function keysOf<Key extends string>(record: Readonly<Record<Key, true>>): Key[] {
  return Object.keys(record) as Key[];
}
