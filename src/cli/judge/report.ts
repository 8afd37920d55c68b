import type { Run } from "../../rollout/run.ts";
import type { Summary } from "../../rollout/score/summary.ts";
import { short, table } from "./text.ts";

/** What a run came to, for people. */
export function report(run: Run, summary: Summary): string {
  const { mean, standardError, interval, passAt, reasons, cost } = summary;
  const facts: [string, string][] = [
    ["run", run.id],
    ["target", run.target],
    ["agent", playerOf(run) === run.agent ? run.agent : `${run.agent} (${run.model})`],
    ["rollouts", `${summary.rollouts} of ${run.rows * run.repetitions}`],
    ["score", `${short(mean)} ± ${short(standardError)}  (95 %: ${short(interval[0])} to ${short(interval[1])})`],
    ...Object.entries(passAt).map(([k, value]): [string, string] => [`pass@${k}`, short(value)]),
    ["steps", String(summary.steps)],
    [
      "endings",
      Object.entries(reasons)
        .map(([reason, count]) => `${reason} ${count}`)
        .join(", "),
    ],
    ["control plane failures", String(summary.controlFailures)],
    ...(summary.invalidScores > 0 ? [["scores not valid", String(summary.invalidScores)] as [string, string]] : []),
    ...(summary.tokens > 0 ? [["tokens", String(summary.tokens)] as [string, string]] : []),
    ...(cost === undefined ? [] : [["cost", `$${cost.toFixed(4)}`] as [string, string]]),
  ];
  return table(["", ""], facts).trimStart();
}

/** Who played: the model or, where there is none, the agent. */
export function playerOf({ agent, model }: Run): string {
  return model === "unknown" ? agent : model;
}
