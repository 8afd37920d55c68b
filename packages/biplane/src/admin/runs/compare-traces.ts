import { isDeepStrictEqual } from "node:util";
import { Turns } from "@biplane/core/internal";
import type { ChatMessage } from "../../rollout/message.ts";
import type { Trace, TraceStep } from "../../rollout/trace.ts";
import type { TraceDivergence } from "./trace-api.ts";
import { boundedValue } from "./trace-view.ts";

/**
 * The first difference of two traces. Differences before the first step have step -1. Long traces are compared in turns,
 * so that others are served meanwhile.
 */
export async function firstDivergence(left: Trace, right: Trace): Promise<TraceDivergence> {
  const differs = (step: number, what: string, pair: readonly [unknown, unknown]) =>
    isDeepStrictEqual(...pair) ? undefined : { step, what, left: boundedValue(pair[0]), right: boundedValue(pair[1]) };
  const start =
    differs(-1, "prompt", [promptOf(left), promptOf(right)]) ??
    differs(-1, "observation", [left.observation, right.observation]);
  if (start) return start;
  const both = Math.min(left.steps.length, right.steps.length);
  const turns = new Turns();
  for (let at = 0; at < both; at++) {
    await turns.next();
    const [one, other] = [left.steps[at] as TraceStep, right.steps[at] as TraceStep];
    const found =
      differs(at, one.call || other.call ? "tool_call" : "message", [actionOf(one), actionOf(other)]) ??
      differs(at, "observation", [one.observation, other.observation]) ??
      differs(at, "reward", [one.reward, other.reward]) ??
      differs(at, "terminated", [one.terminated, other.terminated]) ??
      differs(at, "truncated", [one.truncated, other.truncated]);
    if (found) return found;
  }
  return differs(both, "ending", [endOf(left, both), endOf(right, both)]) ?? null;
}

/** The messages before the agent's first action. */
function promptOf({ messages }: Trace): unknown {
  const first = messages.findIndex(({ role }) => role === "assistant" || role === "tool");
  return messages.slice(0, first < 0 ? undefined : first).map(({ role, content }) => ({ role, content }));
}

/** The agent's action: its call, or its messages if it made none. */
function actionOf({ call, messages }: TraceStep): unknown {
  if (call) return { tool: call.tool, input: call.input };
  return messages.map(({ role, content }: ChatMessage) => ({ role, content }));
}

/** The next action if the other trace has ended, or how it ended. */
function endOf({ steps, ending }: Trace, both: number): unknown {
  const next = steps[both];
  const { reason, kind, terminated, truncated } = ending;
  return next ? { next: actionOf(next) } : { reason, ...(kind !== undefined && { kind }), terminated, truncated };
}
