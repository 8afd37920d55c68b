import type { StepStatus } from "@biplane/core/client";
import type { ControlPlaneStep, ChatMessage, ToolCall } from "./message.ts";
import { pythonRepr } from "./python/text.ts";
import type { TextStyle } from "./template.ts";
import { isRecord } from "@biplane/core/internal";
import type { AgentResult } from "./agent-result.ts";

/** A step's reward and status in Eval Protocol's format. `truncated` is our addition. */
export function stepSummary(step: number, outcome: StepStatus, calls: readonly string[]): ControlPlaneStep {
  const { terminated, truncated, info, parts } = outcome;
  return {
    step,
    reward: shownReward(outcome),
    terminated,
    ...(truncated && { truncated }),
    info: parts ? { ...info, reward_parts: parts } : info,
    tool_calls: calls,
    num_tool_calls: calls.length,
  };
}

/** The tool message for a call, with the step's reward and status as metadata. */
export function toolMessage(
  { id, function: { name } }: ToolCall,
  { content, observation }: AgentResult,
  options: { outcome: StepStatus; input: unknown; step: number; style: TextStyle },
): ChatMessage {
  const { outcome, input, step } = options;
  const { terminated, truncated, info } = outcome;
  const metadata = {
    reward: shownReward(outcome),
    terminated: terminated || truncated,
    info: { steps: stepsIn(observation), tool_call: name, arguments: input, control_plane: info },
  };
  const shown = `${name}(${pythonRepr(input)})`;
  return { role: "tool", tool_call_id: id, content, metadata, control_plane_step: stepSummary(step, outcome, [shown]) };
}

/** Eval Protocol has 0 for a step without a reward. A reward that is unknown is null. */
function shownReward({ reward, failure }: StepStatus): number | null {
  return failure?.masked ? null : (reward ?? 0);
}

function stepsIn(observation: unknown): number {
  const found = isRecord(observation) ? (observation["moves"] ?? observation["steps"]) : undefined;
  return typeof found === "number" ? found : 0;
}
