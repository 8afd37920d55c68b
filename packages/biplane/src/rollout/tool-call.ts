import type { BiplaneError } from "@biplane/core";
import type { StepOutcome } from "@biplane/core/client";
import { isRecord, messageOf } from "@biplane/core/internal";
import type { ChatMessage, ToolCall } from "./message.ts";
import type { AgentResult } from "./agent-result.ts";
import type { TraceCall } from "./trace.ts";
import { noToolCall, playbackTerminate } from "./agent/agent.ts";
import type { Turn } from "./agent/agent.ts";
import { reasonOf } from "./ending.ts";
import type { Ending } from "./ending.ts";

/** Parses the arguments of a call. Returns an error message if they are invalid. */
export function readInput({ function: { arguments: text } }: ToolCall): Readonly<Record<string, unknown>> | string {
  if (text.trim() === "") return {};
  try {
    const input: unknown = JSON.parse(text);
    return isRecord(input) ? input : "The arguments must be a JSON object.";
  } catch (error) {
    return `The arguments are not valid JSON: ${messageOf(error)}`;
  }
}

/** The result of a call with invalid arguments, for the model to read. */
export function rejectedCall({ function: { name } }: ToolCall, why: string): AgentResult {
  const observation = { error: "invalid_tool_call", message: `${name} was not called. ${why}` };
  return { observation, content: JSON.stringify(observation) };
}

/** Answers a call that was not executed: model APIs need a message for every call. */
export function callNotMade({ id, function: { name } }: ToolCall): ChatMessage {
  const content = JSON.stringify({ error: "not_executed", message: `${name} was not called. The episode is over.` });
  return { role: "tool", tool_call_id: id, content };
}

/** Converts a call for the trace. Without a step, the call was not made. */
export function tracedCall(
  { id, function: { name } }: ToolCall,
  input: unknown,
  step?: Pick<StepOutcome, "error" | "calls">,
): TraceCall {
  const approval = step?.error && approvalOf(step.error);
  return {
    id,
    tool: name,
    input,
    isError: !step || step.error !== undefined,
    ...(step?.calls && { inner: step.calls }),
    ...(approval !== undefined && { approval }),
  };
}

/** The state of the approval, if the call failed because of one. */
function approvalOf({ code, details }: BiplaneError): object | undefined {
  const known = isRecord(details?.["approval"]) ? details["approval"] : undefined;
  if (code !== "APPROVAL_PENDING" && code !== "APPROVAL_REJECTED") return known;
  return { status: code === "APPROVAL_PENDING" ? "pending" : "rejected", ...known };
}

/** Why a rollout ends, without the environment's status. */
export type TurnEnd = Pick<Ending, "reason" | "kind" | "message" | "finishReason">;

/** The pseudo-call with which an agent ends the rollout, if the turn has one. */
export function endingCall(calls: readonly ToolCall[]): ToolCall | undefined {
  return calls.find(({ function: { name } }) => name === noToolCall || name === playbackTerminate);
}

/** The end that a turn without real calls causes. */
export function turnEnd(turn: Turn, call?: ToolCall): TurnEnd {
  if (turn.ending !== undefined) return recordedEnd(turn);
  return reasonOf(call?.function.name === playbackTerminate ? "stop" : turn.finishReason);
}

/** The recorded end of a playback. */
function recordedEnd({ ending = "stop", finishReason }: Turn): TurnEnd {
  const known = ["control_plane_signal", "max_steps", "user_stop"] as const;
  const found = known.find((reason) => reason === ending);
  return found ? { reason: found } : reasonOf(ending === "error" ? finishReason : ending);
}
