import { endingLabel } from "../../rollout/ending-label.ts";
import type { ChatMessage } from "../../rollout/message.ts";
import { messageText } from "../../rollout/message.ts";
import type { Score } from "../../rollout/score/scorer.ts";
import type { Trace, TraceStep } from "../../rollout/trace.ts";
import { endingKey } from "../../store/runs/rollout-facts.ts";
import { cleanLine } from "../terminal/clean-text.ts";
import { curve, duration, safeText, short } from "../terminal/format.ts";

export interface TranscriptOptions {
  readonly hasColours: boolean;
  /** What a scorer said about the rollout, and the name of the scoring. */
  readonly score?: (Score & { readonly by: string }) | undefined;
}

/**
 * A rollout as text: messages, the reward of each step, the ending, and the score. Environments, models and rows wrote
 * most of it, so that every line is made safe for the terminal.
 */
export function transcript(trace: Trace, options: TranscriptOptions): string {
  const { ending, faults, failure, attempts = [] } = trace;
  const head = [
    `${trace.rowId}${trace.repetition > 0 ? ` (${trace.repetition})` : ""}, seed ${trace.seed ?? "none"}, session ${trace.sessionId}`,
    ...attempts.map((each) => `! failed after ${each.steps} steps: ${each.failure.kind}: ${each.failure.message}`),
    ...faults.map(({ what, why }) => `! ${what}: ${why}`),
  ].map(cleanLine);
  const inSteps = new Set(trace.steps.flatMap(({ messages }) => messages.map(keyOf)));
  const isOutside = (message: ChatMessage) => !inSteps.has(keyOf(message));
  const firstStep = trace.messages.findIndex((message) => !isOutside(message));
  const split = firstStep < 0 ? trace.messages.length : firstStep;
  const show = (message: ChatMessage) => messageLines(message, options.hasColours);
  let total = 0;
  const steps = trace.steps.flatMap((step) => {
    total += step.reward ?? 0;
    return [...step.messages.map(show), stepLine(step, total)];
  });
  const end = [
    cleanLine(
      `ended: ${endingLabel(endingKey(trace))}` +
        (ending.finishReason === undefined ? "" : `, finish reason ${ending.finishReason}`) +
        `${ending.terminated ? ", terminated" : ""}${ending.truncated ? ", truncated" : ""}` +
        ` after ${trace.steps.length} ${trace.steps.length === 1 ? "step" : "steps"} and ${duration(trace.durationMs)}: reward ${short(trace.totalReward)}${failure?.masked ? ", masked" : ""}`,
    ),
    ...(failure ? [indented(safeText(failure.message, options.hasColours))] : []),
    ...(options.score ? [safeText(scoreLine(options.score), options.hasColours)] : []),
    ...(trace.controlFailures > 0 ? [`control plane failures: ${trace.controlFailures}`] : []),
  ];
  const rest = trace.messages.slice(split).filter(isOutside).map(show);
  const picture = trace.steps.length > 1 ? ["", "total reward by step", rewardCurve(trace)] : [];
  return [...head, "", ...trace.messages.slice(0, split).map(show), ...steps, ...rest, ...end, ...picture].join("\n");
}

function scoreLine({ by, score, reason }: NonNullable<TranscriptOptions["score"]>): string {
  return `scoring ${by}: ${short(score)}${reason === undefined || reason === "" ? "" : `, ${reason}`}`;
}

function rewardCurve({ steps }: Trace): string {
  let total = 0;
  return curve(steps.map(({ reward }) => (total += reward ?? 0)));
}

/** Identifies a message by its content. The copies in a trace may have further fields. */
function keyOf({ role, content, tool_call_id: id, tool_calls: calls }: ChatMessage): string {
  return JSON.stringify([role, content, id, calls]);
}

function messageLines(message: ChatMessage, hasColours: boolean): string {
  const calls = (message.tool_calls ?? []).map(({ function: { name, arguments: input } }) => `→ ${name} ${input}`);
  const lines = [readable(messageText(message)), ...calls].filter((line) => line !== "");
  return `${cleanLine(message.role).padEnd(9)} ${indented(safeText(lines.join("\n"), hasColours).trimEnd())}`;
}

/** Only our own lines begin at the margin. */
function indented(text: string): string {
  return text.replaceAll("\n", "\n          ");
}

/** Prints multi-line text inside a JSON object, such as a grid, as lines. */
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

function stepLine(
  { step, reward, parts, terminated, truncated, timings, faults, failure, retries, call }: TraceStep,
  total: number,
): string {
  const { agentMs, actMs, judgeMs } = timings;
  const facts = [
    `step ${step}: reward ${short(reward)}, total ${short(total)}`,
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
    ...(retries === undefined ? [] : [`retried ${retries} times`]),
    duration(agentMs + actMs + judgeMs),
  ];
  const failed = failure?.masked ? [`! ${failure.kind}: ${failure.message}`] : [];
  const lines = [facts.join(", "), ...failed, ...faults.map(({ what, why }) => `! ${what}: ${why}`)];
  return lines.map((line) => `          ${cleanLine(line)}`).join("\n");
}
