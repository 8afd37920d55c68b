import { oneOf } from "../admin/api/input.ts";
import type { AuditOutcome } from "../call/audit.ts";
import type { Route } from "../tool/call.ts";
import type { KeptCall } from "./call-log.ts";
import { routes } from "../call/rules/conditions.ts";
import { outcomes } from "./outcomes.ts";

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
  const route = oneOf(query, "route", routes);
  const outcome = oneOf(query, "outcome", [...outcomes, "failed"] as const);
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
