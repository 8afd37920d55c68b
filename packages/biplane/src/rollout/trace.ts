import { makeFailure } from "@biplane/core";
import type { Failure, FailureKind } from "@biplane/core";
import { isRecord } from "@biplane/core/internal";
import type { Usage } from "./agent/agent.ts";
import type { Divergence } from "./divergence.ts";
import type { ControlPlaneFault } from "@biplane/core/client";
import type { Ending } from "./ending.ts";
import type { ChatMessage, ToolDefinition } from "./message.ts";
import type { Row } from "./row.ts";

/** The record of one rollout. A failed rollout has a trace up to its failure. */
export interface Trace extends TraceBegin {
  readonly steps: readonly TraceStep[];
  readonly messages: readonly ChatMessage[];
  readonly ending: Ending;
  /** What kept the rollout from its own end. */
  readonly failure?: Failure | undefined;
  /** Null if the failure is masked: then nobody knows what the rollout was worth. */
  readonly totalReward: number | null;
  /** Earlier attempts that failed, oldest first. */
  readonly attempts?: readonly TraceAttempt[] | undefined;
  readonly usage: Usage;
  readonly cost: number | undefined;
  readonly durationMs: number;
  /** Control plane failures that were replaced by a safe default. */
  readonly controlFailures: number;
  readonly divergence: Divergence | undefined;
}

/** An attempt to play a rollout that failed and was repeated. */
export interface TraceAttempt {
  readonly failure: Failure;
  readonly startedAt: string;
  readonly steps: number;
}

export interface TraceBegin {
  readonly rollout: string;
  readonly run: string;
  /** Row index and repetition, both 0-based. */
  readonly index: number;
  readonly repetition: number;
  readonly rowId: string;
  readonly row: Row;
  readonly seed: string | null;
  readonly sessionId: string;
  readonly agent: string;
  readonly model: string;
  readonly startedAt: string;
  readonly observation: unknown;
  readonly source: string;
  readonly tools: readonly ToolDefinition[];
  readonly faults: readonly ControlPlaneFault[];
}

export interface TraceStep {
  readonly step: number;
  /** New messages since the previous step. */
  readonly messages: readonly ChatMessage[];
  readonly call: TraceCall | undefined;
  readonly observation: unknown;
  /** Null if the step has no reward. */
  readonly reward: number | null;
  readonly parts?: Readonly<Record<string, number>> | undefined;
  readonly terminated: boolean;
  readonly truncated: boolean;
  readonly stepCount?: number | undefined;
  readonly timings: { readonly agentMs: number; readonly actMs: number; readonly judgeMs: number };
  readonly usage?: Usage | undefined;
  readonly cost?: number | undefined;
  readonly retries?: number | undefined;
  /** Why the call failed, or what failed in the episode with this step. */
  readonly failure?: Failure | undefined;
  readonly faults: readonly ControlPlaneFault[];
}

export interface TraceCall {
  readonly id: string;
  readonly tool: string;
  /** A string if the arguments were not valid JSON. */
  readonly input: unknown;
  readonly isError: boolean;
  /** Calls that a code action made. */
  readonly inner?: readonly unknown[];
  readonly approval?: unknown;
}

/** An event of a rollout. The trace log has one per line. */
export type TraceEvent =
  | ({ readonly type: "begin" } & TraceBegin & { readonly messages: readonly ChatMessage[] })
  | ({ readonly type: "step"; readonly rollout: string } & TraceStep)
  | TraceRetry
  | TraceEnd;

/** What came before belongs to an attempt that failed. Another `begin` follows. */
export interface TraceRetry extends TraceAttempt {
  readonly type: "retry";
  readonly rollout: string;
}

export interface TraceEnd extends Omit<Trace, keyof TraceBegin | "steps" | "messages"> {
  readonly type: "end";
  readonly rollout: string;
  readonly index: number;
  readonly repetition: number;
  /** New messages since the last step. */
  readonly messages: readonly ChatMessage[];
}

/** Reads a line of the trace log. Undefined if it is not an event: a store may be damaged, or not ours. */
export function readTraceEvent(line: string): TraceEvent | undefined {
  try {
    const event: unknown = JSON.parse(line);
    if (!isRecord(event) || typeof event["rollout"] !== "string") return undefined;
    const { type, messages, faults } = event;
    const isWhole =
      type === "retry"
        ? isRecord(event["failure"])
        : type === "end"
          ? isRecord(event["ending"]) && Array.isArray(messages)
          : (type === "begin" || type === "step") && [messages, faults].every(Array.isArray);
    return isWhole ? (event as unknown as TraceEvent) : undefined;
  } catch {
    return undefined;
  }
}

/** Rebuilds a trace from its events. Undefined without a `begin` event. */
export function traceFrom(all: readonly TraceEvent[]): Trace | undefined {
  const events = all.slice(all.findLastIndex(({ type }) => type === "retry") + 1);
  const [begin] = events;
  if (begin?.type !== "begin") return undefined;
  const { type: _, messages: first, ...facts } = begin;
  const steps = events.flatMap((event) => {
    if (event.type !== "step") return [];
    const { type: __, rollout: ___, ...step } = event;
    return [withTool(step)];
  });
  const end = events.find((event): event is TraceEnd => event.type === "end");
  const { type: _____, messages: last, ...result } = end ? withFailure(end) : interrupted(facts, steps);
  const messages = [...first, ...steps.flatMap((step) => step.messages), ...last];
  return { ...facts, steps, ...result, messages: withReason(messages, end?.ending) };
}

/** Adds the reason for the end to the last step's summary. */
export function withReason(messages: readonly ChatMessage[], ending: Ending | undefined): readonly ChatMessage[] {
  const at = messages.findLastIndex((message) => message.control_plane_step);
  const step = messages[at]?.control_plane_step;
  if (!ending || !step) return messages;
  const reason = ending.reason;
  return messages.with(at, {
    ...(messages[at] as ChatMessage),
    control_plane_step: { ...step, termination_reason: reason },
  });
}

export function addUsage(one: Usage, other: Usage | undefined): Usage {
  if (!other) return one;
  const cached = (one.cached_tokens ?? 0) + (other.cached_tokens ?? 0);
  return {
    prompt_tokens: one.prompt_tokens + other.prompt_tokens,
    completion_tokens: one.completion_tokens + other.completion_tokens,
    total_tokens: one.total_tokens + other.total_tokens,
    ...(cached > 0 && { cached_tokens: cached }),
  };
}

export const noUsage: Usage = Object.freeze({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 });

/** Older stored traces have `name` instead of `tool`. */
function withTool(step: TraceStep): TraceStep {
  const { name, ...call } = (step.call ?? {}) as Partial<TraceCall> & { name?: string };
  return name === undefined ? step : { ...step, call: { tool: name, ...call } as TraceCall };
}

/** Older stored traces have no failure. */
function withFailure(end: TraceEnd): TraceEnd {
  const { ending, failure } = end;
  if (failure || ending.reason !== "error") return end;
  const kind = formerKinds[ending.kind ?? "internal"] ?? ending.kind ?? "infrastructure";
  return { ...end, failure: makeFailure(kind, ending.message ?? "The rollout failed."), totalReward: null };
}

const formerKinds: Readonly<Record<string, FailureKind>> = {
  row: "environment",
  divergence: "environment",
  connection: "infrastructure",
  internal: "infrastructure",
};

function interrupted(begin: TraceBegin, steps: readonly TraceStep[]): TraceEnd {
  const last = steps.at(-1);
  const { rollout, index, repetition } = begin;
  const failure = makeFailure("cancelled", "The process ended before the rollout.");
  return {
    type: "end",
    rollout,
    index,
    repetition,
    messages: [],
    ending: {
      reason: "error",
      kind: failure.kind,
      message: failure.message,
      terminated: last?.terminated ?? false,
      truncated: last?.truncated ?? false,
    },
    failure,
    totalReward: null,
    usage: steps.reduce((sum, step) => addUsage(sum, step.usage), noUsage),
    cost: undefined,
    durationMs: 0,
    controlFailures: steps.reduce((sum, step) => sum + step.faults.length, begin.faults.length),
    divergence: undefined,
  };
}
