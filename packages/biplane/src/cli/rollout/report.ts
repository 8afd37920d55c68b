import type { Run } from "../../store/runs/run.ts";
import { endingLabel } from "../../rollout/ending-label.ts";
import type { Estimate, Summary } from "../../rollout/score/summary.ts";
import type { Scoring } from "../../store/runs/scores.ts";
import { short, table } from "../terminal/format.ts";

/** The summary of a run as a table, with the scorings that are kept for it. */
export function runReport(run: Run, summary: Summary, scorings: readonly Scoring[] = []): string {
  const { mean, passAt, reasons, cost, masked, maskedBy } = summary;
  const passes = `(score ${summary.pass === null ? "above 0" : `at least ${summary.pass}`})`;
  const facts: [string, string][] = [
    ["run", run.id],
    ...(run.name === undefined ? [] : [["name", run.name] as [string, string]]),
    ["target", run.target],
    ["agent", playerName(run) === run.agent ? run.agent : `${run.agent} (${run.model})`],
    ["rollouts", `${summary.rollouts} of ${run.rows * run.repetitions}`],
    ["score", summary.rows === 1 ? `${short(mean)}  (one row)` : showEstimate(summary)],
    ...(masked > 0
      ? [["masked", `${masked} of ${summary.rollouts} without a score: ${byKind(maskedBy)}`] as [string, string]]
      : []),
    ...Object.entries(passAt).map(([k, value]): [string, string] => [`pass@${k}`, `${short(value)}  ${passes}`]),
    ...scorings.map(({ name, summary: { mean } }): [string, string] => [`scoring ${name}`, short(mean)]),
    ["steps", String(summary.steps)],
    [
      "endings",
      Object.entries(reasons)
        .map(([reason, count]) => `${endingLabel(reason)} ${count}`)
        .join(", "),
    ],
    ["control plane failures", String(summary.controlFailures)],
    ...(summary.invalidScores > 0 ? [["invalid scores", String(summary.invalidScores)] as [string, string]] : []),
    ...(summary.tokens > 0 ? [["tokens", String(summary.tokens)] as [string, string]] : []),
    ...(cost === undefined ? [] : [["cost", `$${cost.toFixed(4)}`] as [string, string]]),
  ];
  return table(["", ""], facts).trimStart();
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
