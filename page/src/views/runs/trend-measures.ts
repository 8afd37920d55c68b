import type { RunSummary } from "../../../../packages/biplane/src/admin/runs/run-api.ts";
import { dollars, fixed, percent } from "../../format.ts";

export type Measure = "reward" | "pass" | "score" | "cost";

export interface MeasureFacts {
  readonly title: string;
  readonly valueOf: (run: RunSummary) => number | null;
  readonly errorOf: (run: RunSummary) => number | null;
  readonly format: (value: number) => string;
}

export const measures: Readonly<Record<Measure, MeasureFacts>> = {
  reward: {
    title: "Reward",
    valueOf: (run) => run.meanReward,
    errorOf: (run) => run.standardError,
    format: fixed,
  },
  pass: { title: "Pass", valueOf: (run) => run.passRate, errorOf: () => null, format: percent },
  score: {
    title: "Score",
    valueOf: (run) => run.score?.mean ?? null,
    errorOf: (run) => run.score?.standardError ?? null,
    format: fixed,
  },
  cost: { title: "Cost", valueOf: (run) => run.cost, errorOf: () => null, format: dollars },
};
