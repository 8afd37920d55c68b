import { noToolCall, playbackTerminate } from "./agent/agent.ts";
import type { Turn } from "./agent/agent.ts";
import { reasonOf } from "./ending.ts";
import type { Ending } from "./ending.ts";
import type { ToolCall } from "./message.ts";

/** Why a rollout ends, before it is known how the environment stands. */
export type TurnEnd = Pick<Ending, "reason" | "kind" | "message" | "finishReason">;

/** The call among a turn's calls that is none: the agent has come to its end. */
export function endingCall(calls: readonly ToolCall[]): ToolCall | undefined {
  return calls.find(({ function: { name } }) => name === noToolCall || name === playbackTerminate);
}

/** What a turn that ends the rollout ends it with. */
export function turnEnd(turn: Turn, call?: ToolCall): TurnEnd {
  if (turn.ending !== undefined) return recordedEnd(turn);
  return reasonOf(call?.function.name === playbackTerminate ? "stop" : turn.finishReason);
}

/** A recording says why it ended. */
function recordedEnd({ ending = "stop", finishReason }: Turn): TurnEnd {
  const known = ["control_plane_signal", "max_steps", "user_stop"] as const;
  const found = known.find((reason) => reason === ending);
  return found ? { reason: found } : reasonOf(ending === "error" ? finishReason : ending);
}
