import { connectionId } from "../server/connections.ts";
import { boundedText } from "./call-json.ts";
import type { KeptCall } from "./call-log.ts";
import { shownResult } from "./call-result.ts";
import type { OpenedCall, ShownCall } from "./contract.ts";

/** A call in a list. */
export function shownCall(call: KeptCall): ShownCall {
  const { id, server, tool, route, agent, principal, outcome, message } = call;
  return {
    id,
    at: new Date(call.at).toISOString(),
    server,
    tool,
    route,
    agent,
    principal,
    session: call.session === undefined ? null : connectionId(call.session),
    episode: call.episode ?? null,
    outcome,
    message: message && boundedText(message, 300),
    durationMs: Math.round(call.durationMs * 1000) / 1000,
  };
}

/** A call, opened. */
export function openedCall(call: KeptCall): OpenedCall {
  const { step } = call;
  return {
    ...shownCall(call),
    message: call.message,
    input: JSON.parse(call.input) as unknown,
    result: call.result && shownResult(call.result),
    trail: call.trail?.steps() ?? [],
    step: step ? { reward: step.reward, stepCount: step.stepCount, terminated: step.terminated } : null,
  };
}
