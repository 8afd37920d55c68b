import type { AuditOutcome, ValueOf } from "@biplane/core/internal";
import type { callFilter } from "./call-api.ts";
import type { LoggedCall } from "./call-log.ts";

/** Which calls to list. Names match by substring, other fields exactly; empty ones match all. */
export type CallFilter = ValueOf<{ readonly type: "object"; readonly properties: typeof callFilter }>;

/** Compiles a filter. */
export function callMatcher(filter: CallFilter): (call: LoggedCall) => boolean {
  const { server, route, outcome, episode } = filter;
  const [tool, agent, principal] = [filter.tool, filter.agent, filter.principal].map((part) => part?.toLowerCase());
  const has = (text: string, part: string | undefined) => part === undefined || text.toLowerCase().includes(part);
  const { slower = 0 } = filter;
  const [since, until] = [millisecondsOf(filter.since) ?? -Infinity, millisecondsOf(filter.until) ?? Infinity];
  return (call) =>
    call.at >= since &&
    call.at < until &&
    (slower === 0 || call.durationMs - call.waitedMs >= slower) &&
    (!server || call.server === server) &&
    (route === undefined || call.route === route) &&
    (outcome === undefined || call.outcome === outcome || (outcome === "failed" && isFailure(call.outcome))) &&
    (!episode || call.episode === episode) &&
    has(call.tool, tool) &&
    has(call.agent.agentId, agent) &&
    has(call.principal.id, principal);
}

/** Milliseconds since 1970. The schema has checked the time. */
export function millisecondsOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}

export function isFailure(outcome: AuditOutcome): boolean {
  return outcome !== "done" && outcome !== "suspended";
}
