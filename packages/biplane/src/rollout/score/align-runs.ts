import { estimate } from "./summary.ts";
import type { Estimate } from "./summary.ts";

/** What a comparison of runs needs of a rollout. */
export interface ComparedRollout {
  readonly rowId: string;
  readonly index: number;
  /** Null if it has none. */
  readonly score: number | null;
}

/** A row with its rollouts in each run. */
export interface AlignedRow<Rollout extends ComparedRollout> {
  readonly rowId: string;
  /** In the order of the runs. Undefined for a run without the row. */
  readonly runs: readonly (RowResult<Rollout> | undefined)[];
}

export interface RowResult<Rollout extends ComparedRollout> {
  /** Over the repetitions; null if none has a score. */
  readonly mean: number | null;
  readonly rollouts: readonly Rollout[];
}

/** The rows of several runs, in the order of the first one. Rows are matched by id; equal ids of a run by their order. */
export function alignRuns<Rollout extends ComparedRollout>(
  runs: readonly (readonly Rollout[])[],
): AlignedRow<Rollout>[] {
  const byRun = runs.map(byRow);
  const rowIds = new Set(byRun.flatMap((rows) => [...rows.keys()]));
  return Array.from(rowIds, (rowId) => ({
    rowId,
    runs: byRun.map((rows) => {
      const rollouts = rows.get(rowId);
      return rollouts && { mean: meanScore(rollouts), rollouts };
    }),
  }));
}

/** How one run does in the rows that it has in common with another. */
export interface RunDifference {
  /** This run minus the other, over the common rows. */
  readonly difference: Estimate;
  readonly better: number;
  readonly worse: number;
  readonly equal: number;
  /** Rows that are in both, but have no score in one of them. */
  readonly masked: number;
  readonly onlyFirst: number;
  readonly onlySecond: number;
}

/** Compares the second of two runs with the first. Pairing the rows makes small differences visible. */
export function differenceOf<Rollout extends ComparedRollout>(
  rows: readonly AlignedRow<Rollout>[],
  [first, second]: readonly [number, number],
): RunDifference {
  const pairs = rows.map(({ runs }) => [runs[first], runs[second]] as const);
  const differences = pairs.flatMap(([one, other]) => {
    const [a, b] = [one?.mean ?? null, other?.mean ?? null];
    return a === null || b === null ? [] : [b - a];
  });
  const count = (holds: (difference: number) => boolean) => differences.filter(holds).length;
  const common = pairs.filter(([one, other]) => one && other).length;
  return {
    difference: estimate(differences),
    better: count((difference) => difference > 0),
    worse: count((difference) => difference < 0),
    equal: count((difference) => difference === 0),
    masked: common - differences.length,
    onlyFirst: pairs.filter(([one, other]) => one && !other).length,
    onlySecond: pairs.filter(([one, other]) => !one && other).length,
  };
}

/** Groups by row id. Different rows with the same id get a suffix. */
function byRow<Rollout extends ComparedRollout>(rollouts: readonly Rollout[]): Map<string, Rollout[]> {
  const rows = new Map<string, Rollout[]>();
  const seen = new Map<string, { index: number; count: number }>();
  for (const each of rollouts.toSorted((a, b) => a.index - b.index)) {
    const { rowId, index } = each;
    const known = seen.get(rowId) ?? { index, count: 0 };
    if (known.index !== index) {
      known.index = index;
      known.count++;
    }
    seen.set(rowId, known);
    const key = known.count === 0 ? rowId : `${rowId}#${known.count}`;
    const list = rows.get(key);
    if (list) list.push(each);
    else rows.set(key, [each]);
  }
  return rows;
}

function meanScore(rollouts: readonly ComparedRollout[]): number | null {
  return estimate(rollouts.flatMap(({ score }) => score ?? [])).mean;
}
