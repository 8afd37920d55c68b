import { randomUUID } from "node:crypto";
import { isRecord, tryParseJson } from "@biplane/core/internal";
import type { Usage } from "../../rollout/agent/agent.ts";
import type { Ending } from "../../rollout/ending.ts";
import { messageText } from "../../rollout/message.ts";
import type { ChatMessage } from "../../rollout/message.ts";
import { addUsage, noUsage } from "../../rollout/trace.ts";
import type { TraceEvent, TraceStep } from "../../rollout/trace.ts";
import { textIn, timeOf } from "./read-log.ts";
import type { InspectLog, LogFields } from "./read-log.ts";
import { sampleMessages, sampleTools } from "./sample-messages.ts";
import { sampleScore } from "./sample-score.ts";
import type { SampleScore } from "./sample-score.ts";

export interface SampleTraceOptions {
  readonly log: InspectLog;
  readonly run: string;
  /** The number of the sample in the dataset, from 0. */
  readonly index: number;
  /** Which score is the reward (default: the first). */
  readonly score: string | undefined;
}

/** The events of a sample, as a rollout would have written them. Rewards of single steps are not in a log. */
export function sampleEvents(sample: LogFields, { log, run, index, score: name }: SampleTraceOptions): TraceEvent[] {
  const rollout = randomUUID();
  const score = sampleScore(sample, name);
  const messages = sampleMessages(sample);
  const first = messages.findIndex(({ role }) => role === "assistant");
  const prompt = first === -1 ? messages : messages.slice(0, first);
  const { steps, rest } = stepsOf(messages.slice(prompt.length), score);
  const repetition = Math.max(0, Number(sample["epoch"] ?? 1) - 1 || 0);
  const metadata = isRecord(sample["metadata"]) ? sample["metadata"] : {};
  const { seed, config, episode } = metadata;
  const rowId = textIn(sample["id"]);
  const context = { ...(isRecord(config) && config), ...(typeof seed === "number" && { seed }) };
  const place = { index, repetition };
  return [
    {
      type: "begin",
      rollout,
      run,
      ...place,
      rowId,
      row: { messages: prompt, input_metadata: { row_id: rowId, dataset_info: { environment_context: context } } },
      seed: typeof seed === "number" ? String(seed) : null,
      sessionId: typeof episode === "string" ? episode : "",
      agent: "inspect-ai",
      model: log.model,
      startedAt: timeOf(sample["started_at"]) ?? log.created,
      observation: null,
      source: "none",
      tools: sampleTools(sample),
      faults: [],
      messages: prompt,
    },
    ...steps.map((step): TraceEvent => ({ type: "step", rollout, ...step })),
    {
      type: "end",
      rollout,
      ...place,
      messages: rest,
      ending: endingOf(sample, score),
      ...(score.failure && { failure: score.failure }),
      totalReward: score.reward,
      usage: usageOf(sample["model_usage"]),
      cost: undefined,
      durationMs: Number(sample["total_time"] ?? 0) * 1000 || 0,
      controlFailures: 0,
      divergence: undefined,
    },
  ];
}

/** A step ends with the result of a call. The messages after the last result belong to no step. */
function stepsOf(
  messages: readonly ChatMessage[],
  { facts }: SampleScore,
): { steps: TraceStep[]; rest: ChatMessage[] } {
  const calls = new Map(messages.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => [call.id, call] as const)));
  const steps: TraceStep[] = [];
  let pending: ChatMessage[] = [];
  const last = messages.findLastIndex(({ role }) => role === "tool");
  for (const [at, message] of messages.entries()) {
    pending.push(message);
    if (message.role !== "tool") continue;
    const call = calls.get(message.tool_call_id ?? "");
    const text = messageText(message);
    const input: unknown = tryParseJson(call?.function.arguments ?? "{}", { otherwise: {} });
    steps.push({
      step: steps.length,
      messages: pending,
      call: call && { id: call.id, tool: call.function.name, input, isError: message["error"] !== undefined },
      observation: tryParseJson(text, { otherwise: text }),
      reward: null,
      terminated: at === last && facts["terminated"] === true,
      truncated: at === last && facts["truncated"] === true,
      timings: { agentMs: 0, actMs: 0, judgeMs: 0 },
      faults: [],
    });
    pending = [];
  }
  return { steps, rest: pending };
}

function endingOf({ limit }: LogFields, { failure, facts }: SampleScore): Ending {
  const status = { terminated: facts["terminated"] === true, truncated: facts["truncated"] === true };
  if (failure) return { reason: "error", kind: failure.kind, message: failure.message, ...status };
  if (status.terminated || status.truncated) return { reason: "control_plane_signal", ...status };
  return isRecord(limit) ? { reason: "max_steps", ...status } : { reason: "stop", ...status };
}

/** The sum over all models of the sample. */
function usageOf(value: unknown): Usage {
  const each = isRecord(value) ? Object.values(value).filter(isRecord) : [];
  return each.reduce<Usage>(
    (sum, { input_tokens: input, output_tokens: output, total_tokens: total }) =>
      addUsage(sum, {
        prompt_tokens: Number(input) || 0,
        completion_tokens: Number(output) || 0,
        total_tokens: Number(total) || 0,
      }),
    noUsage,
  );
}
