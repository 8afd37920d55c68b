import { isInterrupted } from "../../store/runs/run.ts";
import type { StoredRun } from "../../store/runs/run.ts";
import type { RunFigures } from "../../store/runs/run-figures.ts";
import type { OpenRollout } from "../../store/runs/rollouts.ts";
import type { Scoring } from "../../store/runs/scores.ts";
import type { RunDetail, RunScoring, RunSummary } from "./run-api.ts";
import { redactTarget } from "./replay-target.ts";

/** A run as a list item. Its settings are not exposed. */
export function runSummary(run: StoredRun, { summary }: RunFigures): RunSummary {
  const { settings: _, ended: __, pass, name, endedAt, ...facts } = run;
  return {
    ...facts,
    ...(endedAt !== undefined && { endedAt }),
    target: redactTarget(run.target),
    status: run.status === "running" && isInterrupted(run) ? "interrupted" : run.status,
    name: name ?? null,
    pass: pass ?? null,
    masked: summary.masked,
    meanReward: summary.mean,
    standardError: summary.rows < 2 ? null : summary.standardError,
  };
}

export interface RunParts {
  readonly figures: RunFigures;
  readonly scorings: readonly Scoring[];
  /** Rollouts that are being played. */
  readonly open: readonly OpenRollout[];
}

/** A run with its statistics, its scores and its running rollouts. */
export function runDetail(run: StoredRun, { figures, scorings, open }: RunParts): RunDetail {
  const { summary, curve, distribution } = figures;
  const activeRollouts = open.map(({ startedAt, ...facts }) => ({
    ...facts,
    startedAt: new Date(startedAt).toISOString(),
  }));
  return {
    ...runSummary(run, figures),
    summary,
    curve,
    distribution,
    reasons: summary.reasons,
    scorings: scorings.map(shownScoring),
    activeRollouts,
  };
}

function shownScoring({ name, scorer, scoredAt, summary }: Scoring): RunScoring {
  const { rollouts, rows, mean, standardError, invalidScores, masked } = summary;
  const error = rows < 2 ? null : standardError;
  return { name, scorer, scoredAt, rollouts, mean, standardError: error, masked, invalidScores };
}
