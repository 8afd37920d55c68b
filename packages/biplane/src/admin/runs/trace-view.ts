import type { ChatMessage } from "../../rollout/message.ts";
import { isPass } from "../../rollout/score/summary.ts";
import type { RolloutRow } from "../../store/tables.ts";
import type { TraceStep } from "../../rollout/trace.ts";
import { Turns } from "@biplane/core/internal";
import type { Annotation } from "../../store/runs/annotations.ts";
import { rewardOf } from "../../store/runs/rollout-facts.ts";
import type { ListedRollout } from "../../store/runs/rollout-list.ts";
import type { RolloutScore } from "../../store/runs/scores.ts";
import { boundedJson, boundedText } from "../calls/bounded-json.ts";
import type { TraceAnnotation, TraceDetail, TraceInfo, TraceScore } from "./trace-api.ts";
import { redactTarget } from "./replay-target.ts";
import { traceId } from "./run-repository.ts";
import type { FoundTrace } from "./run-repository.ts";

/** A trace as a list item. */
export function traceInfo(row: ListedRollout): TraceInfo {
  return { ...factsOf(row), score: row.score };
}

function factsOf(row: RolloutRow): Omit<TraceInfo, "score"> {
  const { run, rollout, repetition, seed, agent, model, steps, message, tokens, cost } = row;
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
    tokens,
    cost,
    index: row.row_index,
    rowId: row.row_id,
    startedAt: new Date(row.started_at).toISOString(),
    durationMs: row.duration_ms,
    reason: row.ending,
  };
}

/** What is known about a trace besides its events. */
export interface TraceParts {
  /** Length of the JSON of all values, about. */
  readonly maxLength: number;
  readonly canReplay: boolean;
  readonly scores: readonly RolloutScore[];
  readonly annotations: readonly Annotation[];
}

/** A full trace. Long values are cut and say so; the more steps, the shorter the values. Works in turns. */
export async function traceDetail({ run, row, trace }: FoundTrace, parts: TraceParts): Promise<TraceDetail> {
  const { maxLength, canReplay, scores, annotations } = parts;
  const limiter = new ValueLimiter(Math.floor(maxLength / (1 + 3 * trace.steps.length)), maxLength);
  const turns = new Turns();
  const messages: ChatMessage[] = [];
  for (const message of trace.messages) {
    messages.push(limiter.message(message));
    await turns.next();
  }
  const steps: TraceStep[] = [];
  for (const step of trace.steps) {
    steps.push(limiter.step(step));
    await turns.next();
  }
  const isRunning = row.ended_at === null;
  const reward = rewardOf(row);
  return {
    ...factsOf(row),
    runTitle: run.name ?? redactTarget(run.target),
    passed: isRunning || reward === null ? null : isPass(reward, run.pass),
    isRunning,
    observation: limiter.value(trace.observation),
    messages,
    ending: isRunning ? null : (limiter.value(trace.ending) as TraceDetail["ending"]),
    failure: isRunning ? null : ((limiter.value(trace.failure) ?? null) as TraceDetail["failure"]),
    attempts: (limiter.value(trace.attempts) ?? []) as TraceDetail["attempts"],
    usage: trace.usage,
    trace: steps,
    scores: scores.map(shownScore),
    annotations: annotations.map(shownAnnotation),
    canReplay,
  };
}

function shownScore({ name, scorer, scoredAt, score: { score, reason, metrics = {} } }: RolloutScore): TraceScore {
  const parts = Object.entries(metrics)
    .slice(0, maxParts)
    .map(([part, given]) => ({ name: part, score: given.score, reason: boundedText(given.reason, maxReasonLength) }));
  return {
    name,
    scorer,
    scoredAt,
    score,
    reason: reason === undefined ? null : boundedText(reason, maxReasonLength),
    parts,
  };
}

const maxParts = 50;
const maxReasonLength = 20_000;

export function shownAnnotation({ id, step, verdict, text, author, createdAt }: Annotation): TraceAnnotation {
  return { id, step, verdict, text, author, createdAt };
}

/** Plain data, cut to a readable length. */
export function boundedValue(value: unknown): unknown {
  return new ValueLimiter(maxValueLength, maxValueLength).value(value);
}

export const maxTraceLength = 6_000_000;
const maxValueLength = 100_000;
const minValueLength = 1000;
const maxImageLength = 2_000_000;

/** Applies one length limit to all values of a trace. */
class ValueLimiter {
  readonly #maxLength: number;
  #imageBudget: number;

  constructor(maxLength: number, imageBudget: number) {
    this.#maxLength = Math.max(minValueLength, Math.min(maxValueLength, maxLength));
    this.#imageBudget = imageBudget;
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
