import type { TraceDetail } from "../../../../packages/biplane/src/admin/runs/trace-api.ts";
import { promptAndRest } from "./positions.ts";

type Message = TraceDetail["messages"][number];
type TraceStep = TraceDetail["trace"][number];

/** A part of a transcript: the prompt, a step, or what was said after the last one. */
export interface Turn {
  /** The position of the slider. The prompt has 0, what follows the last step has that step's. */
  readonly position: number;
  readonly kind: "prompt" | "step" | "rest";
  readonly step: TraceStep | undefined;
  readonly messages: readonly Message[];
  /** The observation, if no message shows it. */
  readonly observation: unknown;
  /** The call, if no message shows it. */
  readonly call: TraceStep["call"];
}

/** The whole conversation of a rollout. Nothing is in it twice. */
export function turnsOf(trace: TraceDetail): readonly Turn[] {
  const { prompt, rest } = promptAndRest(trace);
  const steps = trace.trace.map((step, at): Turn => {
    const { messages, call, observation } = step;
    const isAnswered = messages.some(({ role }) => role === "tool");
    const isCalled = messages.some(({ tool_calls: calls }) => Array.isArray(calls) && calls.length > 0);
    return {
      position: at + 1,
      kind: "step",
      step,
      messages,
      observation: isAnswered ? undefined : observation,
      call: isCalled ? undefined : call,
    };
  });
  const first: Turn = {
    position: 0,
    kind: "prompt",
    step: undefined,
    messages: prompt,
    observation: isSaid(trace.observation, prompt) ? undefined : trace.observation,
    call: undefined,
  };
  if (rest.length === 0) return [first, ...steps];
  const last: Turn = { ...first, position: steps.length, kind: "rest", messages: rest, observation: undefined };
  return [first, ...steps, last];
}

/** Positions of the turns that contain a text, without duplicates. */
export function matchesOf(turns: readonly Turn[], wanted: string): readonly number[] {
  const text = wanted.trim().toLowerCase();
  if (text === "") return [];
  return [...new Set(turns.filter((turn) => textOf(turn).includes(text)).map(({ position }) => position))];
}

/** Everything that a turn shows, in lower case. Computed once: a search asks again with every letter. */
function textOf(turn: Turn): string {
  const known = texts.get(turn);
  if (known !== undefined) return known;
  const { messages, observation, call, step } = turn;
  const parts = [
    ...messages.map(({ content, reasoning_content: reasoning, tool_calls: calls }) => [content, reasoning, calls]),
    observation,
    call,
    step?.call?.tool,
    step?.failure?.message,
  ];
  const text = wordsIn(parts).toLowerCase();
  texts.set(turn, text);
  return text;
}

const texts = new WeakMap<Turn, string>();

/** The words of any value. Text within JSON is compared as it is shown, without escapes. */
function wordsIn(value: unknown, depth = 0): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "";
  if (depth > 20) return "";
  const inner = Array.isArray(value) ? value : Object.entries(value).flat();
  return inner.map((each) => wordsIn(each, depth + 1)).join("\n");
}

function isSaid(observation: unknown, messages: readonly Message[]): boolean {
  if (observation === null || observation === undefined) return true;
  const text = typeof observation === "string" ? observation : JSON.stringify(observation);
  return messages.some(({ content }) => wordsIn(content).includes(text));
}
