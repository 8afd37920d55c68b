import { isInterrupted } from "../../store/runs/run.ts";
import type { StoredRun } from "../../store/runs/run.ts";
import type { RunFigures } from "../../store/runs/run-figures.ts";
import type { OpenRollout } from "../../store/runs/rollouts.ts";
import type { Scoring } from "../../store/runs/scores.ts";
import type { RunDetail, RunScoring, RunSummary } from "./run-api.ts";
import { redactTarget } from "./replay-target.ts";

/** A run as a list item. Its settings are not exposed. */
export function runSummary(run: StoredRun, { figures: { summary }, playing }: RunFacts): RunSummary {
  const { settings: _, ended: __, pass, name, endedAt, ...facts } = run;
  return {
    ...facts,
    ...(endedAt !== undefined && { endedAt }),
    target: redactTarget(run.target),
    status: run.status === "running" && isInterrupted(run) ? "interrupted" : run.status,
    name: name ?? null,
    pass: pass ?? null,
    playing,
    masked: summary.masked,
    meanReward: summary.mean,
    standardError: summary.rows < 2 ? null : summary.standardError,
  };
}

/** What is known about a run besides its own columns. */
export interface RunFacts {
  readonly figures: RunFigures;
  /** Rollouts that workers are playing. */
  readonly playing: number | null;
}

export interface RunParts extends RunFacts {
  readonly scorings: readonly Scoring[];
  /** Rollouts that are being played. */
  readonly open: readonly OpenRollout[];
}

/** A run with its statistics, its scores and its running rollouts. */
export function runDetail(run: StoredRun, { scorings, open, ...facts }: RunParts): RunDetail {
  const { figures } = facts;
  const { summary, curve, distribution } = figures;
  const activeRollouts = open.map(({ startedAt, ...rest }) => ({
    ...rest,
    startedAt: new Date(startedAt).toISOString(),
  }));
  return {
    ...runSummary(run, facts),
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
