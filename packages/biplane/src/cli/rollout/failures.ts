import { BiplaneError } from "@biplane/core";
import { endingLabel } from "../../rollout/ending-label.ts";
import type { ScoredTrace } from "../../rollout/score/scorer.ts";
import { maskedShare } from "../../rollout/score/summary.ts";
import type { Summary } from "../../rollout/score/summary.ts";
import type { Trace } from "../../rollout/trace.ts";
import { endingKey } from "../../store/runs/rollout-facts.ts";
import { cleanLine } from "../terminal/clean-text.ts";
import { byKind } from "./report.ts";

/** The reasons why rollouts or their scorer failed, the most frequent first, as lines. Empty if none failed. */
export function failureLines(scored: readonly ScoredTrace[]): string[] {
  const failed = scored.map(({ trace }) => trace).filter(isFailure);
  const reasons = [
    ...failed.map((trace) => `${endingLabel(endingKey(trace))}: ${trace.failure?.message ?? "no reason was given"}`),
    ...scored.filter(isUnscored).map(({ score }) => score.reason ?? "The scorer failed."),
  ];
  const counts = new Map<string, number>();
  for (const reason of reasons.map(cleanLine)) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const sorted = Array.from(counts).sort(([, a], [, b]) => b - a);
  const hidden = sorted.slice(maxReasons).reduce((sum, [, count]) => sum + count, 0);
  const lines = sorted.slice(0, maxReasons).map(([reason, count]) => `${count} × ${reason}`);
  return hidden > 0 ? [...lines, `${hidden} × other errors`] : lines;
}

/** Throws if no rollout was played without an error, or none could be scored: the run says nothing then. */
export function checkPlayed(scored: readonly ScoredTrace[]): void {
  if (scored.length === 0) return;
  if (scored.every(({ trace }) => isFailure(trace)))
    throw new BiplaneError("EXECUTION_ERROR", scored.length === 1 ? "The rollout failed." : "All rollouts failed.");
  if (scored.every(isUnscored)) throw new BiplaneError("EXECUTION_ERROR", "The scorer failed for every rollout.");
}

/** Throws if too many rollouts have no score: an average over the rest may mislead. */
export function checkMasked(summary: Summary, maxShare: number): void {
  const { masked, maskedBy, rollouts } = summary;
  if (maskedShare(summary) <= maxShare) return;
  const what = `${masked} of ${rollouts} rollouts have no score (${byKind(maskedBy)}), more than --max-masked ${maxShare}.`;
  throw new BiplaneError("EXECUTION_ERROR", `${what} Mend the cause, or try them again with --retries.`);
}

const maxReasons = 5;

/** Only the scorer failed. */
function isUnscored({ trace, score }: ScoredTrace): boolean {
  return score.score === null && !trace.failure?.masked;
}

function isFailure({ failure }: Trace): boolean {
  return failure !== undefined && failure.kind !== "cancelled";
}
