import { alignRuns, differenceOf } from "../../rollout/score/align-runs.ts";
import type { AlignedRow } from "../../rollout/score/align-runs.ts";
import { shownEstimate } from "../../rollout/score/summary.ts";
import type { Summary } from "../../rollout/score/summary.ts";
import { figuresOf, totalsOf } from "../../store/runs/run-figures.ts";
import { scoredRollouts } from "../../store/runs/scored-rollouts.ts";
import type { ScoredRollout } from "../../store/runs/scored-rollouts.ts";
import { listScorings } from "../../store/runs/scores.ts";
import type { Scoring } from "../../store/runs/scores.ts";
import { BiplaneError } from "@biplane/core";
import type { PageQuery } from "../http/input.ts";
import type { ComparedRow, ComparedRun, RunComparisonDetail } from "./run-comparison-api.ts";
import { traceId } from "./run-repository.ts";
import type { FoundRun } from "./run-repository.ts";
import { runSummary } from "./run-view.ts";

interface ComparisonQuery extends PageQuery {
  readonly scoring?: string | undefined;
  /** A part of a row id. */
  readonly query?: string | undefined;
}

/** Compares runs row by row with the first of them. Of very large runs, the first rollouts are compared. */
export async function compareStoredRuns(
  found: readonly FoundRun[],
  { scoring, query = "", after, limit }: ComparisonQuery,
): Promise<RunComparisonDetail> {
  const scorings = await Promise.all(found.map(({ run, store }) => listScorings(store, run.id)));
  const rollouts: ScoredRollout[][] = [];
  for (const { run, store } of found)
    rollouts.push(await scoredRollouts(store, run.id, { scoring, limit: maxRollouts }));
  const rows = alignRuns(rollouts);
  const runs: ComparedRun[] = [];
  for (const [at, each] of found.entries()) {
    const { store, run } = each;
    const figures = await figuresOf(store, run);
    const summary = scoring === undefined ? figures.summary : summaryIn(scorings[at] ?? [], run.id, scoring);
    runs.push({
      run: runSummary(run, { totals: totalsOf(figures.summary), score: undefined, playing: null }),
      ...shownEstimate(summary, summary.rows),
      passRate: totalsOf(summary).passRate,
      endings: summary.reasons,
      parts: meanParts(rollouts[at] ?? []),
      steps: summary.steps,
      difference: at === 0 ? null : shownDifference(rows, at),
    });
  }
  const wanted = query.trim().toLowerCase();
  const shown = rows
    .filter(({ rowId }) => rowId.toLowerCase().includes(wanted))
    .map((row) => comparedRow(row, found))
    .sort((one, other) => Math.abs(other.change ?? 0) - Math.abs(one.change ?? 0));
  const from = startOf(after);
  return {
    runs,
    scorings: commonNames(scorings),
    rows: shown.slice(from, from + limit),
    next: from + limit < shown.length ? String(from + limit) : null,
    total: shown.length,
    changed: shown.filter(({ change }) => change !== null && change !== 0).length,
    isPartial: rollouts.some(({ length }) => length >= maxRollouts),
  };
}

/** So many are read and compared in about a second. */
export const maxRollouts = 50_000;

function summaryIn(scorings: readonly Scoring[], run: string, name: string): Summary {
  const found = scorings.find((scoring) => scoring.name === name);
  if (found) return found.summary;
  const known = scorings.map((scoring) => scoring.name).join(", ") || "none";
  throw new BiplaneError("INVALID_INPUT", `The run ${run} has no scoring ${JSON.stringify(name)}. It has: ${known}.`);
}

function shownDifference(rows: readonly AlignedRow<ScoredRollout>[], at: number): ComparedRun["difference"] {
  const { difference, better, worse, equal, masked, onlyFirst, onlySecond } = differenceOf(rows, [0, at]);
  return {
    ...shownEstimate(difference, better + worse + equal),
    better,
    worse,
    equal,
    masked,
    onlyFirst,
    onlyHere: onlySecond,
  };
}

function comparedRow({ rowId, runs }: AlignedRow<ScoredRollout>, found: readonly FoundRun[]): ComparedRow {
  const cells = runs.map((result, at) => {
    const first = result?.rollouts[0];
    const run = found[at]?.run.id;
    if (!result || !first || run === undefined) return null;
    const { ending, steps } = first;
    return {
      score: result.mean,
      rollouts: result.rollouts.length,
      trace: traceId(run, first.rollout),
      ending,
      steps,
    };
  });
  const base = cells[0]?.score ?? null;
  const changes = cells.slice(1).flatMap((cell) => (base === null || cell === null ? [] : (cell.score ?? base) - base));
  const change = changes.reduce((most, each) => (Math.abs(each) > Math.abs(most) ? each : most), 0);
  return { rowId, cells, change: changes.length === 0 ? null : change };
}

/** Means over the rollouts that have the part. */
function meanParts(rollouts: readonly ScoredRollout[]): Record<string, number> {
  const sums = new Map<string, { sum: number; count: number }>();
  for (const { parts } of rollouts)
    for (const [name, value] of Object.entries(parts)) {
      const so = sums.get(name) ?? { sum: 0, count: 0 };
      if (!sums.has(name) && sums.size >= maxParts) continue;
      sums.set(name, { sum: so.sum + value, count: so.count + 1 });
    }
  return Object.fromEntries(Array.from(sums, ([name, { sum, count }]) => [name, sum / count]));
}

const maxParts = 24;

function commonNames(scorings: readonly (readonly Scoring[])[]): string[] {
  const [first = [], ...others] = scorings.map((each) => each.map(({ name }) => name));
  return first.filter((name) => others.every((names) => names.includes(name)));
}

function startOf(after: string | undefined): number {
  if (after === undefined) return 0;
  if (/^\d{1,9}$/.test(after)) return Number(after);
  throw new BiplaneError("INVALID_INPUT", "`after` must be the `next` value of the previous page.");
}
