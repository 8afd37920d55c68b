import { BiplaneError } from "@biplane/core";
import { endingLabel } from "../../rollout/ending-label.ts";
import type { Trace } from "../../rollout/trace.ts";
import { endingKey } from "../../store/runs/rollout-facts.ts";
import { cleanLine } from "../terminal/clean-text.ts";

/** The reasons why rollouts failed, the most frequent first, as lines. Empty if none failed. */
export function failureLines(traces: readonly Trace[]): string[] {
  const counts = new Map<string, number>();
  for (const { ending } of traces.filter(isFailure)) {
    const reason = cleanLine(`${endingLabel(endingKey(ending))}: ${ending.message ?? "no reason was given"}`);
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const sorted = Array.from(counts).sort(([, a], [, b]) => b - a);
  const hidden = sorted.slice(maxReasons).reduce((sum, [, count]) => sum + count, 0);
  const lines = sorted.slice(0, maxReasons).map(([reason, count]) => `${count} × ${reason}`);
  return hidden > 0 ? [...lines, `${hidden} × other errors`] : lines;
}

/** Throws if no rollout was played without an error: there is nothing to judge then. */
export function checkPlayed(traces: readonly Trace[]): void {
  if (traces.length === 0 || !traces.every(isFailure)) return;
  throw new BiplaneError("EXECUTION_ERROR", traces.length === 1 ? "The rollout failed." : "All rollouts failed.");
}

const maxReasons = 5;

function isFailure({ ending: { reason, kind } }: Trace): boolean {
  return reason === "error" && kind !== "cancelled";
}
