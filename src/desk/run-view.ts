import { isInterrupted } from "../rollout/run.ts";
import type { Run } from "../rollout/run.ts";
import type { ShelvedRun } from "../rollout/run-shelf.ts";
import type { RunTotals } from "../rollout/run-totals.ts";
import type { OpenedRun, ShownRun } from "./contract.ts";
import { shownTarget } from "./replay-target.ts";

/** A run in a list. How it was set up stays with whoever began it. */
export function shownRun(run: Run, totals: RunTotals): ShownRun {
  const { settings: _, ...facts } = run;
  const { rollouts, finished, failed, reward } = totals;
  return {
    ...facts,
    target: shownTarget(run.target),
    status: run.status === "running" && isInterrupted(run) ? "interrupted" : run.status,
    finished,
    failed,
    meanReward: rollouts === 0 ? null : reward / rollouts,
  };
}

/** A run with its curve, its distribution and its endings, all from its index. */
export function openedRun(run: Run, shelved: ShelvedRun): OpenedRun {
  const { summary, curve, distribution } = shelved.figures();
  return {
    ...shownRun(run, shelved.index.totals),
    summary,
    curve,
    distribution,
    reasons: summary.reasons,
  };
}
