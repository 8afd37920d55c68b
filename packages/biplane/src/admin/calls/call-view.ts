import { connectionId } from "@biplane/core/internal";
import { boundedText } from "./bounded-json.ts";
import type { LoggedCall } from "./call-log.ts";
import { fromLoggedResult } from "./call-result.ts";
import type { CallDetail, CallSummary } from "./call-api.ts";

/** A call as a list item. */
export function callSummary(call: LoggedCall): CallSummary {
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
    message: message && boundedText(message, maxListedMessage),
    durationMs: Math.round(call.durationMs * 1000) / 1000,
    waitedMs: Math.round(call.waitedMs * 1000) / 1000,
    preview: boundedText(call.input, maxPreview),
  };
}

/** A call with all details. */
export function callDetail(call: LoggedCall): CallDetail {
  const { step } = call;
  return {
    ...callSummary(call),
    message: call.message,
    input: JSON.parse(call.input) as unknown,
    result: call.result && fromLoggedResult(call.result),
    timeline: call.timeline?.steps() ?? [],
    step: step ? { reward: step.reward, stepCount: step.stepCount, terminated: step.terminated } : null,
  };
}

/** Characters of an input in a list. */
const maxPreview = 160;

/** Characters of an error message in a list. */
export const maxListedMessage = 300;
