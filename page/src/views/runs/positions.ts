import type { OpenedTrace } from "../../../../src/desk/contract.ts";

type Message = OpenedTrace["messages"][number];
type TraceStep = OpenedTrace["trace"][number];

/**
 * Where one can stand in a trace: 0 is before the first step, and after that each step has its own position, up to the
 * last. This is what was seen and said there.
 */
export interface Standing {
  readonly position: number;
  readonly step: TraceStep | undefined;
  readonly observation: unknown;
  readonly messages: readonly Message[];
  /** All rewards so far. */
  readonly total: number;
}

export function standingAt(trace: OpenedTrace, position: number): Standing {
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

/** What was said before the first step, and after the last one. */
export function promptAndRest({ messages, trace }: OpenedTrace): {
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

/** By what it is, not by what it says: long ones are cut differently in different places. */
function isSame(one: Message, other: Message | undefined): boolean {
  if (one.role !== other?.role || one.tool_call_id !== other.tool_call_id) return false;
  return idsOf(one) === idsOf(other);
}

function idsOf({ tool_calls: calls }: Message): string {
  return Array.isArray(calls) ? (calls as readonly { id?: unknown }[]).map(({ id }) => String(id)).join(" ") : "";
}

/** Whether something went wrong at a step: the call failed, or the control plane did. */
export function isBad({ call, faults }: TraceStep): boolean {
  return call?.isError === true || faults.length > 0;
}

/** The places worth going to. */
export function landmarksOf({ trace }: OpenedTrace): { readonly error: number; readonly reward: number } {
  return {
    error: trace.findIndex(isBad) + 1,
    reward: trace.findIndex(({ reward }) => reward !== null && reward !== 0) + 1,
  };
}

/** The position that an address asks for, within what there is. */
export function positionIn(text: string | undefined, last: number, otherwise: number): number {
  const wanted = text === undefined || text === "" ? otherwise : Number(text);
  return Number.isInteger(wanted) ? Math.min(last, Math.max(0, wanted)) : otherwise;
}
