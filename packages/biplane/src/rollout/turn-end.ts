import { noToolCall, playbackTerminate } from "./agent/agent.ts";
import type { Turn } from "./agent/agent.ts";
import { reasonOf } from "./ending.ts";
import type { Ending } from "./ending.ts";
import type { ToolCall } from "./message.ts";

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
