import { shownStatus } from "../../store/runs/run.ts";
import type { StoredRun } from "../../store/runs/run.ts";
import { totalsOf } from "../../store/runs/run-figures.ts";
import type { RunFigures, RunTotals } from "../../store/runs/run-figures.ts";
import type { OpenRollout } from "../../store/runs/rollouts.ts";
import { shownEstimate } from "../../rollout/score/summary.ts";
import type { RunScore, Scoring } from "../../store/runs/scores.ts";
import type { RunDetail, RunScoring, RunSummary } from "./run-api.ts";
import { redactTarget } from "./replay-target.ts";
import { traceId } from "./run-repository.ts";

/** What is known about a run besides its own columns. */
export interface RunFacts {
  /** Undefined until they are computed. */
  readonly totals: RunTotals | undefined;
  readonly score: RunScore | undefined;
  /** Rollouts that workers are playing. */
  readonly playing: number | null;
}

/** A run as a list item. Its settings are not exposed. */
export function runSummary(run: StoredRun, { totals, score, playing }: RunFacts): RunSummary {
  const { settings: _, ended: __, pass, name, endedAt, ...facts } = run;
  return {
    ...facts,
    ...(endedAt !== undefined && { endedAt }),
    target: redactTarget(run.target),
    status: shownStatus(run),
    name: name ?? null,
    pass: pass ?? null,
    playing,
    masked: totals?.masked ?? 0,
    meanReward: totals?.mean ?? null,
    standardError: totals?.standardError ?? null,
    passRate: totals?.passRate ?? null,
    tokens: totals?.tokens ?? 0,
    cost: totals?.cost ?? null,
    score: score ?? null,
  };
}

export interface RunParts extends Pick<RunFacts, "playing"> {
  readonly figures: RunFigures;
  readonly scorings: readonly Scoring[];
  /** Rollouts that are being played. */
  readonly open: readonly OpenRollout[];
}

/** A run with its statistics, its scores and its running rollouts. */
export function runDetail(run: StoredRun, { scorings, open, figures, playing }: RunParts): RunDetail {
  const { summary, curve, distribution } = figures;
  const shown = scorings.map(shownScoring);
  const [newest] = shown;
  const score = newest && { name: newest.name, mean: newest.mean, standardError: newest.standardError };
  const activeRollouts = open.map(({ startedAt, rollout, ...rest }) => ({
    ...rest,
    id: traceId(run.id, rollout),
    startedAt: new Date(startedAt).toISOString(),
  }));
  return {
    ...runSummary(run, { totals: totalsOf(summary), score, playing }),
    summary,
    curve,
    distribution,
    reasons: summary.reasons,
    scorings: shown,
    activeRollouts,
  };
}

function shownScoring({ name, scorer, scoredAt, summary }: Scoring): RunScoring {
  const { rollouts, rows, invalidScores, masked } = summary;
  return { name, scorer, scoredAt, rollouts, ...shownEstimate(summary, rows), masked, invalidScores };
}
