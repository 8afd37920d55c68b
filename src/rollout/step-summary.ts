import { isObject } from "../protocol/rpc.ts";
import type { Acted, Judgement } from "./door/door.ts";
import type { ControlPlaneStep, Message, ToolCall } from "./message.ts";
import { pythonRepr } from "./python/text.ts";
import type { TextStyle } from "./template.ts";

/** What the control plane said of a step, in Eval Protocol's shape; `truncated` is ours. */
export function stepSummary(step: number, judged: Judgement, calls: readonly string[]): ControlPlaneStep {
  const { reward, terminated, truncated, info, parts } = judged;
  return {
    step,
    reward: reward ?? 0,
    terminated,
    ...(truncated && { truncated }),
    info: parts ? { ...info, reward_parts: parts } : info,
    tool_calls: calls,
    num_tool_calls: calls.length,
  };
}

/** The message that answers a call, with all that its step came to beside it. */
export function toolMessage(
  { id, function: { name } }: ToolCall,
  { content, observation }: Acted,
  options: { judged: Judgement; input: unknown; step: number; style: TextStyle },
): Message {
  const { judged, input, step } = options;
  const { reward, terminated, truncated, info } = judged;
  const metadata = {
    reward: reward ?? 0,
    terminated: terminated || truncated,
    info: { steps: stepsIn(observation), tool_call: name, arguments: input, control_plane: info },
  };
  const shown = `${name}(${pythonRepr(input)})`;
  return { role: "tool", tool_call_id: id, content, metadata, control_plane_step: stepSummary(step, judged, [shown]) };
}

function stepsIn(observation: unknown): number {
  const found = isObject(observation) ? (observation["moves"] ?? observation["steps"]) : undefined;
  return typeof found === "number" ? found : 0;
}
