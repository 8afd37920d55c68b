import { isInterrupted } from "../../store/runs/run.ts";
import type { StoredRun } from "../../store/runs/run.ts";
import type { RunFigures } from "../../store/runs/run-figures.ts";
import type { OpenRollout } from "../../store/runs/rollouts.ts";
import type { RunDetail, RunSummary } from "./run-api.ts";
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
    meanReward: summary.rows === 0 ? null : summary.mean,
    standardError: summary.rows < 2 ? null : summary.standardError,
  };
}

/** A run with its statistics and its running rollouts. */
export function runDetail(run: StoredRun, figures: RunFigures, open: readonly OpenRollout[]): RunDetail {
  const { summary, curve, distribution } = figures;
  const activeRollouts = open.map(({ startedAt, ...facts }) => ({
    ...facts,
    startedAt: new Date(startedAt).toISOString(),
  }));
  return { ...runSummary(run, figures), summary, curve, distribution, reasons: summary.reasons, activeRollouts };
}
