import { oneOf } from "../admin/api/input.ts";
import type { AuditOutcome } from "../call/audit.ts";
import type { Route } from "../tool/call.ts";
import type { KeptCall } from "./call-log.ts";

/** Which calls somebody wants to see. Names are found by a part of them; the rest must be the same. */
export interface CallFilter {
  readonly server?: string;
  readonly tool?: string;
  readonly agent?: string;
  readonly principal?: string;
  readonly route?: Route;
  /** `failed` is any error. */
  readonly outcome?: AuditOutcome | "failed";
  readonly episode?: string;
}

/** The filter that a query asks for. */
export function filterIn(query: URLSearchParams): CallFilter {
  const text = (name: string) => {
    const value = query.get(name);
    return value === null || value === "" ? {} : { [name]: value };
  };
  const route = oneOf(query, "route", Object.keys(routes) as Route[]);
  const outcome = oneOf(query, "outcome", Object.keys(outcomes) as (AuditOutcome | "failed")[]);
  return {
    ...text("server"),
    ...text("tool"),
    ...text("agent"),
    ...text("principal"),
    ...text("episode"),
    ...(route && { route }),
    ...(outcome && { outcome }),
  };
}

/** Makes a filter ready for many calls. */
export function matcherOf(filter: CallFilter): (call: KeptCall) => boolean {
  const { server, route, outcome, episode } = filter;
  const [tool, agent, principal] = [filter.tool, filter.agent, filter.principal].map((part) => part?.toLowerCase());
  const has = (text: string, part: string | undefined) => part === undefined || text.toLowerCase().includes(part);
  return (call) =>
    (server === undefined || call.server === server) &&
    (route === undefined || call.route === route) &&
    (outcome === undefined || call.outcome === outcome || (outcome === "failed" && isFailure(call.outcome))) &&
    (episode === undefined || call.episode === episode) &&
    has(call.tool, tool) &&
    has(call.agent.agentId, agent) &&
    has(call.principal.id, principal);
}

function isFailure(outcome: AuditOutcome): boolean {
  return outcome !== "done" && outcome !== "suspended";
}

const routes: Record<Route, true> = {
  mcp: true,
  execute: true,
  step: true,
  code: true,
  script: true,
  app: true,
  schedule: true,
  direct: true,
  people: true,
};

const outcomes: Record<AuditOutcome | "failed", true> = {
  done: true,
  suspended: true,
  failed: true,
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
};
