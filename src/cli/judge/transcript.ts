import type { Message } from "../../rollout/message.ts";
import { textOf } from "../../rollout/message.ts";
import type { Trace, TraceStep } from "../../rollout/trace.ts";
import { curve, duration, safeText, short } from "./text.ts";

/** A rollout to be read: who said and did what, what each step was worth, and how it ended. */
export function transcript(trace: Trace, options: { hasColours: boolean }): string {
  const { ending, faults } = trace;
  const head = [
    `${trace.rowId}${trace.repetition > 0 ? ` (${trace.repetition})` : ""}, seed ${trace.seed ?? "none"}, session ${trace.sessionId}`,
    ...faults.map(({ what, why }) => `! ${what}: ${why}`),
  ];
  const inSteps = new Set(trace.steps.flatMap(({ messages }) => messages.map(keyOf)));
  const isOutside = (message: Message) => !inSteps.has(keyOf(message));
  const firstStep = trace.messages.findIndex((message) => !isOutside(message));
  const split = firstStep < 0 ? trace.messages.length : firstStep;
  const say = (message: Message) => spoken(message, options.hasColours);
  let total = 0;
  const steps = trace.steps.flatMap((step) => {
    total += step.reward ?? 0;
    return [...step.messages.map(say), worth(step, total)];
  });
  const end = [
    `ended by ${ending.kind === undefined ? ending.reason : `${ending.reason} (${ending.kind})`}` +
      (ending.finishReason === undefined ? "" : `, the model said ${ending.finishReason}`) +
      `${ending.terminated ? ", terminated" : ""}${ending.truncated ? ", truncated" : ""}` +
      ` after ${trace.steps.length} steps and ${duration(trace.durationMs)}: reward ${short(trace.totalReward)}`,
    ...(ending.message === undefined ? [] : [safeText(ending.message, options.hasColours)]),
    ...(trace.controlFailures > 0 ? [`the control plane failed ${trace.controlFailures} times`] : []),
  ];
  const rest = trace.messages.slice(split).filter(isOutside).map(say);
  const picture = trace.steps.length > 1 ? ["", "reward so far, by step", rewardCurve(trace)] : [];
  return [...head, "", ...trace.messages.slice(0, split).map(say), ...steps, ...rest, ...end, ...picture].join("\n");
}

function rewardCurve({ steps }: Trace): string {
  let total = 0;
  return curve(steps.map(({ reward }) => (total += reward ?? 0)));
}

/** A message is known by what it says: the trace's own copies may carry more. */
function keyOf({ role, content, tool_call_id: id, tool_calls: calls }: Message): string {
  return JSON.stringify([role, content, id, calls]);
}

function spoken(message: Message, hasColours: boolean): string {
  const calls = (message.tool_calls ?? []).map(({ function: { name, arguments: input } }) => `→ ${name} ${input}`);
  const lines = [readable(textOf(message)), ...calls].filter((line) => line !== "");
  return `${message.role.padEnd(9)} ${safeText(lines.join("\n"), hasColours).trimEnd().replaceAll("\n", "\n          ")}`;
}

/** Text within JSON, such as a drawn grid, is easier on the eyes with its lines as lines. */
function readable(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return text;
    const entries = Object.entries(value).map(([key, inner]) => {
      const shown = typeof inner === "string" ? inner : JSON.stringify(inner);
      return shown.includes("\n") ? `${key}:\n${shown.replace(/^\n/, "").trimEnd()}` : `${key}: ${shown}`;
    });
    return entries.join("\n");
  } catch {
    return text;
  }
}

function worth(
  { step, reward, parts, terminated, truncated, timings, faults, retries, call }: TraceStep,
  total: number,
): string {
  const { agentMs, actMs, judgeMs } = timings;
  const facts = [
    `step ${step}: reward ${reward === null ? "none" : short(reward)}, ${short(total)} so far`,
    ...(parts
      ? [
          Object.entries(parts)
            .map(([name, value]) => `${name} ${short(value)}`)
            .join(" "),
        ]
      : []),
    ...(terminated ? ["terminated"] : []),
    ...(truncated ? ["truncated"] : []),
    ...(call?.inner ? [`${call.inner.length} inner calls`] : []),
    ...(call?.approval === undefined ? [] : [`approval ${JSON.stringify(call.approval)}`]),
    ...(retries === undefined ? [] : [`asked again ${retries} times`]),
    duration(agentMs + actMs + judgeMs),
  ];
  return [`          ${facts.join(", ")}`, ...faults.map(({ what, why }) => `          ! ${what}: ${why}`)].join("\n");
}
