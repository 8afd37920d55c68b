import { storable } from "../../store/storable.ts";
import type { CallInfo } from "../../store/calls.ts";
import type { CallRow } from "../../store/tables.ts";
import { boundedText } from "./bounded-json.ts";
import type { CallDetail, CallSummary } from "./call-api.ts";
import { isFailure } from "./call-filter.ts";
import type { LoggedCall } from "./call-log.ts";
import { callDetail, maxListedMessage } from "./call-view.ts";

/** A call as it is stored. */
export function rowOf(call: LoggedCall): CallRow {
  const { id, server, route, agent, principal, session, episode, outcome, message, ...more } = callDetail(call);
  return {
    id,
    at: call.at,
    server: storable(server),
    tool: storable(more.tool),
    route,
    agent_id: storable(agent.agentId),
    model: agent.model === undefined ? null : storable(agent.model),
    request_id: storable(agent.requestId),
    principal_kind: principal.kind,
    principal_id: storable(principal.id),
    session,
    episode,
    outcome,
    is_failed: isFailure(outcome) ? 1 : 0,
    message: message && storable(message),
    duration_ms: more.durationMs,
    waited_ms: more.waitedMs,
    preview: more.preview && storable(more.preview),
    detail: JSON.stringify({ input: more.input, result: more.result, timeline: more.timeline, step: more.step }),
  };
}

export function summaryFrom(row: CallInfo): CallSummary {
  const { id, server, tool, route, session, episode, outcome, message } = row;
  return {
    id,
    at: new Date(row.at).toISOString(),
    server,
    tool,
    route: route as CallSummary["route"],
    agent: {
      agentId: row.agent_id,
      requestId: row.request_id,
      model: row.model ?? undefined,
    },
    principal: { kind: row.principal_kind as CallSummary["principal"]["kind"], id: row.principal_id },
    session,
    episode,
    outcome: outcome as CallSummary["outcome"],
    message: message && boundedText(message, maxListedMessage),
    durationMs: row.duration_ms,
    waitedMs: row.waited_ms,
    preview: row.preview,
  };
}

export function detailFrom(row: CallRow): CallDetail {
  const detail = JSON.parse(row.detail) as Pick<CallDetail, "input" | "result" | "timeline" | "step">;
  return { ...summaryFrom(row), message: row.message, ...detail };
}
