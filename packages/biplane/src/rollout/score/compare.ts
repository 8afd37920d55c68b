import { endingKey } from "../../store/runs/rollout-facts.ts";
import { endingLabel } from "../ending-label.ts";
import { alignRuns, differenceOf } from "./align-runs.ts";
import type { ComparedRollout, RowResult, RunDifference } from "./align-runs.ts";
import type { ScoredTrace } from "./scorer.ts";

/** Two runs over the same rows, side by side. */
export interface RunComparison extends Pick<RunDifference, "difference" | "better" | "worse" | "equal"> {
  readonly rows: readonly RowComparison[];
  /** Rows that are in one run only. */
  readonly onlyFirst: readonly string[];
  readonly onlySecond: readonly string[];
  /** Rows that are in both, but have no score in one of them. */
  readonly masked: readonly string[];
}

export interface RowComparison {
  readonly rowId: string;
  readonly first: number;
  readonly second: number;
  readonly difference: number;
  readonly endings: readonly [string, string];
}

/** Compares two runs row by row. */
export function compareRuns(first: readonly ScoredTrace[], second: readonly ScoredTrace[]): RunComparison {
  const aligned = alignRuns([first.map(comparable), second.map(comparable)]);
  const masked: string[] = [];
  const rows = aligned.flatMap(({ rowId, runs: [one, other] }) => {
    if (!one || !other) return [];
    if (one.mean === null || other.mean === null) {
      masked.push(rowId);
      return [];
    }
    const endings = [endingOf(one), endingOf(other)] as const;
    return [{ rowId, first: one.mean, second: other.mean, difference: other.mean - one.mean, endings }];
  });
  const { difference, better, worse, equal } = differenceOf(aligned, [0, 1]);
  return {
    rows,
    onlyFirst: aligned.flatMap(({ rowId, runs: [, other] }) => (other ? [] : [rowId])),
    onlySecond: aligned.flatMap(({ rowId, runs: [one] }) => (one ? [] : [rowId])),
    masked,
    difference,
    better,
    worse,
    equal,
  };
}

type Comparable = ComparedRollout & Pick<ScoredTrace, "trace">;

function comparable({ trace, score }: ScoredTrace): Comparable {
  return { rowId: trace.rowId, index: trace.index, score: score.score, trace };
}

function endingOf({ rollouts }: RowResult<Comparable>): string {
  const { trace } = rollouts[0] as Comparable;
  const { steps } = trace;
  return `${endingLabel(endingKey(trace))} after ${steps.length} ${steps.length === 1 ? "step" : "steps"}`;
}
