import type { ChatMessage } from "../../rollout/message.ts";
import type { RolloutRow } from "../../store/tables.ts";
import type { TraceStep } from "../../rollout/trace.ts";
import { rewardOf } from "../../store/runs/rollout-facts.ts";
import { boundedJson } from "../calls/bounded-json.ts";
import type { TraceDetail, TraceInfo } from "./run-api.ts";
import { traceId } from "./run-repository.ts";
import type { FoundTrace } from "./run-repository.ts";

/** A trace as a list item. */
export function traceInfo(row: RolloutRow): TraceInfo {
  const { run, rollout, repetition, seed, agent, model, steps, message } = row;
  return {
    id: traceId(run, rollout),
    run,
    repetition,
    seed,
    agent,
    model,
    steps,
    reward: rewardOf(row),
    message,
    index: row.row_index,
    rowId: row.row_id,
    startedAt: new Date(row.started_at).toISOString(),
    durationMs: row.duration_ms,
    reason: row.ending,
  };
}

/** A full trace. Long values are cut and say so; the more steps, the shorter the values. */
export function traceDetail({ row, trace }: FoundTrace, canReplay: boolean): TraceDetail {
  const limiter = new ValueLimiter(Math.floor(maxTraceLength / (1 + 3 * trace.steps.length)));
  return {
    ...traceInfo(row),
    observation: limiter.value(trace.observation),
    messages: trace.messages.map((message) => limiter.message(message)),
    ending: limiter.value(trace.ending) as TraceDetail["ending"],
    failure: trace.failure ?? null,
    attempts: trace.attempts ?? [],
    usage: trace.usage,
    trace: trace.steps.map((step) => limiter.step(step)),
    canReplay,
  };
}

/** Plain data, cut to a readable length. */
export function boundedValue(value: unknown): unknown {
  return new ValueLimiter(maxValueLength).value(value);
}

const maxTraceLength = 12_000_000;
const maxValueLength = 100_000;
const minValueLength = 1000;
const maxImageLength = 2_000_000;

/** Applies one length limit to all values of a trace. */
class ValueLimiter {
  readonly #maxLength: number;
  #imageBudget = maxTraceLength;

  constructor(maxLength: number) {
    this.#maxLength = Math.max(minValueLength, Math.min(maxValueLength, maxLength));
  }

  value(value: unknown): unknown {
    return value === undefined ? undefined : (JSON.parse(boundedJson(value, this.#maxLength)) as unknown);
  }

  message(message: ChatMessage): ChatMessage {
    const { content, ...rest } = message;
    const shown = Array.isArray(content) ? content.map((part) => this.#part(part)) : this.value(content);
    return { ...(this.value(rest) as object), ...(content !== undefined && { content: shown }) } as ChatMessage;
  }

  step(step: TraceStep): TraceStep {
    const { messages, observation, call, faults, ...facts } = step;
    return {
      ...facts,
      messages: messages.map((message) => this.message(message)),
      call: this.value(call) as TraceStep["call"],
      observation: this.value(observation),
      faults: this.value(faults) as TraceStep["faults"],
    };
  }

  /** A truncated image is useless, so replace it. */
  #part(part: unknown): unknown {
    const url = (part as { image_url?: { url?: unknown } } | null)?.image_url?.url;
    if (typeof url !== "string") return this.value(part);
    if (url.length <= Math.min(maxImageLength, this.#imageBudget)) {
      this.#imageBudget -= url.length;
      return { type: "image_url", image_url: { url } };
    }
    return { type: "text", text: `(an image of ${url.length} characters, not shown)` };
  }
}
