import { isInterrupted } from "../rollout/run.ts";
import type { Run } from "../rollout/run.ts";
import type { RunDigest } from "../rollout/run-digest.ts";
import { standardErrorOf } from "../rollout/run-totals.ts";
import type { RunTotals } from "../rollout/run-totals.ts";
import type { OpenRollout } from "../rollout/trace-summary.ts";
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
    standardError: standardErrorOf(totals),
  };
}

/** A run with its curve, its distribution, its endings and what is being played. */
export function openedRun(
  run: Run,
  { totals, figures: { summary, curve, distribution } }: RunDigest,
  open: readonly OpenRollout[],
): OpenedRun {
  const underWay = open
    .slice(0, mostUnderWay)
    .map(({ startedAt, ...facts }) => ({ ...facts, startedAt: new Date(startedAt).toISOString() }));
  return { ...shownRun(run, totals), summary, curve, distribution, reasons: summary.reasons, underWay };
}

const mostUnderWay = 50;
