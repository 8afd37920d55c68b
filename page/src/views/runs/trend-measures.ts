import type { RunSummary } from "../../../../packages/biplane/src/admin/runs/run-api.ts";
import { dollars, fixed, percent } from "../../format.ts";

export type Measure = "reward" | "pass" | "score" | "cost";

export interface MeasureFacts {
  readonly title: string;
  /** The name of the vertical axis. */
  readonly axis: string;
  readonly valueOf: (run: RunSummary) => number | null;
  readonly errorOf: (run: RunSummary) => number | null;
  readonly format: (value: number) => string;
}

export const measures: Readonly<Record<Measure, MeasureFacts>> = {
  reward: {
    title: "Reward",
    axis: "Mean reward",
    valueOf: (run) => run.meanReward,
    errorOf: (run) => run.standardError,
    format: fixed,
  },
  pass: { title: "Pass", axis: "Pass rate", valueOf: (run) => run.passRate, errorOf: () => null, format: percent },
  score: {
    title: "Score",
    axis: "Mean score",
    valueOf: (run) => run.score?.mean ?? null,
    errorOf: (run) => run.score?.standardError ?? null,
    format: fixed,
  },
  cost: { title: "Cost", axis: "Cost of the run", valueOf: (run) => run.cost, errorOf: () => null, format: dollars },
};
