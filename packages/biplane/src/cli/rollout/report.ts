import type { Run } from "../../store/runs/run.ts";
import { endingLabel } from "../../rollout/ending-label.ts";
import { dollars } from "../../rollout/score/figure-text.ts";
import { finishedRollouts } from "../../rollout/score/summary.ts";
import type { Estimate, Summary } from "../../rollout/score/summary.ts";
import type { Scoring } from "../../store/runs/scores.ts";
import { short, table } from "../terminal/format.ts";

/** The summary of a run as a table, with the scorings that are kept for it. */
export function runReport(run: Run, summary: Summary, scorings: readonly Scoring[] = []): string {
  const { mean, passAt, reasons, cost, masked, maskedBy } = summary;
  const passes = `(score ${summary.pass === null ? "above 0" : `at least ${summary.pass}`})`;
  const facts: (readonly [name: string, value: string | undefined])[] = [
    ["run", run.id],
    ["name", run.name],
    ["target", run.target],
    ["agent", playerName(run) === run.agent ? run.agent : `${run.agent} (${run.model})`],
    ["rollouts", `${finishedRollouts(summary)} of ${run.rows * run.repetitions}`],
    ["score", summary.rows === 1 ? `${short(mean)}  (one row)` : showEstimate(summary)],
    ["masked", masked > 0 ? `${masked} of ${summary.rollouts} without a score: ${byKind(maskedBy)}` : undefined],
    ...Object.entries(passAt).map(([k, value]) => [`pass@${k}`, `${short(value)}  ${passes}`] as const),
    ...scorings.map(({ name, summary: { mean } }) => [`scoring ${name}`, short(mean)] as const),
    ["steps", String(summary.steps)],
    [
      "endings",
      Object.entries(reasons)
        .map(([reason, count]) => `${endingLabel(reason)} ${count}`)
        .join(", "),
    ],
    ["control plane failures", String(summary.controlFailures)],
    ["invalid scores", summary.invalidScores > 0 ? String(summary.invalidScores) : undefined],
    ["tokens", summary.tokens > 0 ? String(summary.tokens) : undefined],
    ["cost", cost === undefined ? undefined : dollars(cost)],
  ];
  const known = facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return table(["", ""], known).trimStart();
}

/** A mean with its standard error and interval. */
export function showEstimate({ mean, standardError, interval }: Estimate): string {
  if (mean === null || interval === null) return "none";
  const [low, high] = interval;
  return `${short(mean)} ± ${short(standardError)}  (95 %: ${short(low)} to ${short(high)})`;
}

/** Failures with their number, such as `model 3, judge 1`. */
export function byKind(counts: Summary["maskedBy"]): string {
  return Object.entries(counts)
    .map(([kind, count]) => `${kind} ${count}`)
    .join(", ");
}

/** The model or, without one, the agent. */
export function playerName({ agent, model }: Run): string {
  return model === "unknown" ? agent : model;
}
