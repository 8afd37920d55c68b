import { isDeepStrictEqual } from "node:util";
import type { Message } from "../rollout/message.ts";
import type { Trace, TraceStep } from "../rollout/trace.ts";
import type { Comparison } from "./contract.ts";
import { readable } from "./trace-view.ts";

/** The first thing that is not the same in two traces. What comes before the first step has step -1. */
export function firstDivergence(left: Trace, right: Trace): Comparison["divergence"] {
  const differs = (step: number, what: string, pair: readonly [unknown, unknown]) =>
    isDeepStrictEqual(...pair) ? undefined : { step, what, left: readable(pair[0]), right: readable(pair[1]) };
  const start =
    differs(-1, "prompt", [promptOf(left), promptOf(right)]) ??
    differs(-1, "observation", [left.observation, right.observation]);
  if (start) return start;
  const both = Math.min(left.steps.length, right.steps.length);
  for (let at = 0; at < both; at++) {
    const [one, other] = [left.steps[at] as TraceStep, right.steps[at] as TraceStep];
    const found =
      differs(at, one.call || other.call ? "tool_call" : "message", [deedOf(one), deedOf(other)]) ??
      differs(at, "observation", [one.observation, other.observation]) ??
      differs(at, "reward", [one.reward, other.reward]) ??
      differs(at, "terminated", [one.terminated, other.terminated]) ??
      differs(at, "truncated", [one.truncated, other.truncated]);
    if (found) return found;
  }
  return differs(both, "ending", [endOf(left, both), endOf(right, both)]) ?? null;
}

/** What was said before the agent did anything. */
function promptOf({ messages }: Trace): unknown {
  const first = messages.findIndex(({ role }) => role === "assistant" || role === "tool");
  return messages.slice(0, first < 0 ? undefined : first).map(({ role, content }) => ({ role, content }));
}

/** What the agent did: its call, or where it made none its words. */
function deedOf({ call, messages }: TraceStep): unknown {
  if (call) return { tool: call.name, input: call.input };
  return messages.map(({ role, content }: Message) => ({ role, content }));
}

/** How it went on where the other was over, or how it ended. */
function endOf({ steps, ending }: Trace, both: number): unknown {
  const next = steps[both];
  const { reason, kind, terminated, truncated } = ending;
  return next ? { next: deedOf(next) } : { reason, ...(kind !== undefined && { kind }), terminated, truncated };
}
