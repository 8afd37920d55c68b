import type { Usage } from "./agent/agent.ts";
import type { Divergence } from "./divergence.ts";
import type { Fault } from "./door/door.ts";
import type { Ending } from "./ending.ts";
import type { Message, ToolDefinition } from "./message.ts";
import type { Row } from "./row.ts";

/** The record of one rollout, step by step. Whatever became of it, it is there as far as it went. */
export interface Trace extends TraceBegin {
  readonly steps: readonly TraceStep[];
  readonly messages: readonly Message[];
  readonly ending: Ending;
  readonly totalReward: number;
  readonly usage: Usage;
  readonly cost: number | undefined;
  readonly durationMs: number;
  /** How often the control plane failed, and a safe default was taken. */
  readonly controlFailures: number;
  readonly divergence: Divergence | undefined;
}

export interface TraceBegin {
  readonly rollout: string;
  readonly run: string;
  /** Which row, and for the how-manieth time it was played, both from 0. */
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
  readonly faults: readonly Fault[];
}

export interface TraceStep {
  readonly step: number;
  /** What was said since the step before. */
  readonly messages: readonly Message[];
  readonly call: TraceCall | undefined;
  readonly observation: unknown;
  /** Null where the step said nothing. */
  readonly reward: number | null;
  readonly parts?: Readonly<Record<string, number>> | undefined;
  readonly terminated: boolean;
  readonly truncated: boolean;
  readonly stepCount?: number | undefined;
  readonly timings: { readonly agentMs: number; readonly actMs: number; readonly judgeMs: number };
  readonly usage?: Usage | undefined;
  readonly cost?: number | undefined;
  readonly retries?: number | undefined;
  readonly faults: readonly Fault[];
}

export interface TraceCall {
  readonly id: string;
  readonly name: string;
  /** Text where it was no JSON. */
  readonly input: unknown;
  readonly isError: boolean;
  readonly inner?: readonly unknown[];
  readonly approval?: unknown;
}

/** What is written while a rollout goes on, a line each. */
export type TraceEvent =
  | ({ readonly type: "begin" } & TraceBegin & { readonly messages: readonly Message[] })
  | ({ readonly type: "step"; readonly rollout: string } & TraceStep)
  | TraceEnd;

export interface TraceEnd extends Omit<Trace, keyof TraceBegin | "steps" | "messages"> {
  readonly type: "end";
  readonly rollout: string;
  readonly index: number;
  readonly repetition: number;
  /** What was said after the last step. */
  readonly messages: readonly Message[];
}

/** A trace put together again from what was written. Undefined where nothing of it was. */
export function traceFrom(events: readonly TraceEvent[]): Trace | undefined {
  const [begin] = events;
  if (begin?.type !== "begin") return undefined;
  const { type: _, messages: first, ...facts } = begin;
  const steps = events.flatMap((event) => {
    if (event.type !== "step") return [];
    const { type: __, rollout: ___, ...step } = event;
    return [step];
  });
  const end = events.find((event): event is TraceEnd => event.type === "end");
  const { type: _____, messages: last, ...result } = end ?? interrupted(facts, steps);
  const messages = [...first, ...steps.flatMap((step) => step.messages), ...last];
  return { ...facts, steps, ...result, messages: withReason(messages, end?.ending) };
}

/** The last step's summary says why it was the last. */
export function withReason(messages: readonly Message[], ending: Ending | undefined): readonly Message[] {
  const at = messages.findLastIndex((message) => message.control_plane_step);
  const step = messages[at]?.control_plane_step;
  if (!ending || !step) return messages;
  const reason = ending.reason;
  return messages.with(at, {
    ...(messages[at] as Message),
    control_plane_step: { ...step, termination_reason: reason },
  });
}

export function addUsage(one: Usage, other: Usage | undefined): Usage {
  if (!other) return one;
  return {
    prompt_tokens: one.prompt_tokens + other.prompt_tokens,
    completion_tokens: one.completion_tokens + other.completion_tokens,
    total_tokens: one.total_tokens + other.total_tokens,
  };
}

export const noUsage: Usage = Object.freeze({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 });

function interrupted(begin: TraceBegin, steps: readonly TraceStep[]): TraceEnd {
  const last = steps.at(-1);
  const { rollout, index, repetition } = begin;
  return {
    type: "end",
    rollout,
    index,
    repetition,
    messages: [],
    ending: {
      reason: "error",
      kind: "cancelled",
      message: "The process ended before the rollout did",
      terminated: last?.terminated ?? false,
      truncated: last?.truncated ?? false,
    },
    totalReward: steps.reduce((sum, step) => sum + (step.reward ?? 0), 0),
    usage: steps.reduce((sum, step) => addUsage(sum, step.usage), noUsage),
    cost: undefined,
    durationMs: 0,
    controlFailures: steps.reduce((sum, step) => sum + step.faults.length, begin.faults.length),
    divergence: undefined,
  };
}
