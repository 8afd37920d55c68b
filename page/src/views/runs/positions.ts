import type { TraceDetail } from "../../../../packages/biplane/src/admin/runs/trace-api.ts";

type Message = TraceDetail["messages"][number];
type TraceStep = TraceDetail["trace"][number];

/** The state at a position of a trace. Position 0 is before the first step; position n is after step n. */
export interface StepState {
  readonly position: number;
  readonly step: TraceStep | undefined;
  readonly observation: unknown;
  readonly messages: readonly Message[];
  /** Sum of the rewards up to this step. */
  readonly total: number;
}

export function stateAt(trace: TraceDetail, position: number): StepState {
  const step = trace.trace[position - 1];
  const total = trace.trace.slice(0, position).reduce((sum, { reward }) => sum + (reward ?? 0), 0);
  const { prompt } = promptAndRest(trace);
  return {
    position,
    step,
    observation: step ? step.observation : trace.observation,
    messages: step ? step.messages : prompt,
    total,
  };
}

/** The messages before the first step and after the last one. */
export function promptAndRest({ messages, trace }: TraceDetail): {
  readonly prompt: readonly Message[];
  readonly rest: readonly Message[];
} {
  const within = trace.flatMap((step) => step.messages);
  if (within.length === 0) return { prompt: messages, rest: [] };
  const slack = messages.length - within.length;
  for (let from = 0; from <= slack; from++) {
    if (within.every((message, at) => isSame(message, messages[from + at])))
      return { prompt: messages.slice(0, from), rest: messages.slice(from + within.length) };
  }
  const first = messages.findIndex(({ role }) => role === "assistant");
  return { prompt: messages.slice(0, Math.max(0, first)), rest: [] };
}

/** Compares roles and ids, because long contents are truncated differently. */
function isSame(one: Message, other: Message | undefined): boolean {
  if (one.role !== other?.role || one.tool_call_id !== other.tool_call_id) return false;
  return idsOf(one) === idsOf(other);
}

function idsOf({ tool_calls: calls }: Message): string {
  return Array.isArray(calls) ? (calls as readonly { id?: unknown }[]).map(({ id }) => String(id)).join(" ") : "";
}

/** True if the call or the control plane failed at this step. */
export function isBad({ call, faults, failure }: TraceStep): boolean {
  return call?.isError === true || faults.length > 0 || failure !== undefined;
}

/** The positions of the first error and the first reward, or 0. */
export function landmarksOf({ trace }: TraceDetail): { readonly error: number; readonly reward: number } {
  return {
    error: trace.findIndex(isBad) + 1,
    reward: trace.findIndex(({ reward }) => reward !== null && reward !== 0) + 1,
  };
}

/** The position in the URL, limited to the trace. */
export function positionIn(text: string | undefined, last: number, otherwise: number): number {
  const wanted = text === undefined || text === "" ? otherwise : Number(text);
  return Number.isInteger(wanted) ? Math.min(last, Math.max(0, wanted)) : otherwise;
}
