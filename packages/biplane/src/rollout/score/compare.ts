import { endingKey } from "../../store/runs/rollout-facts.ts";
import { endingLabel } from "../ending-label.ts";
import type { ScoredTrace } from "./scorer.ts";
import { estimate } from "./summary.ts";
import type { Estimate } from "./summary.ts";

/** Two runs over the same rows, side by side. */
export interface RunComparison {
  readonly rows: readonly RowComparison[];
  /** Rows that are in one run only. */
  readonly onlyFirst: readonly string[];
  readonly onlySecond: readonly string[];
  /** Rows that are in both, but have no score in one of them. */
  readonly masked: readonly string[];
  /** Second minus first, over the common rows. */
  readonly difference: Estimate;
  readonly better: number;
  readonly worse: number;
  readonly equal: number;
}

export interface RowComparison {
  readonly rowId: string;
  readonly first: number;
  readonly second: number;
  readonly difference: number;
  readonly endings: readonly [string, string];
}

/** Compares two runs row by row. Pairing the rows makes small differences visible. */
export function compareRuns(first: readonly ScoredTrace[], second: readonly ScoredTrace[]): RunComparison {
  const [one, other] = [byRow(first), byRow(second)];
  const masked: string[] = [];
  const rows = Array.from(one).flatMap(([rowId, scored]) => {
    const counterpart = other.get(rowId);
    if (!counterpart) return [];
    const [a, b] = [meanScore(scored), meanScore(counterpart)];
    if (a === null || b === null) {
      masked.push(rowId);
      return [];
    }
    const endings = [endingOf(scored), endingOf(counterpart)] as const;
    return [{ rowId, first: a, second: b, difference: b - a, endings }];
  });
  const count = (holds: (difference: number) => boolean) => rows.filter(({ difference }) => holds(difference)).length;
  return {
    rows,
    onlyFirst: Array.from(one.keys()).filter((rowId) => !other.has(rowId)),
    onlySecond: Array.from(other.keys()).filter((rowId) => !one.has(rowId)),
    masked,
    difference: estimate(rows.map(({ difference }) => difference)),
    better: count((difference) => difference > 0),
    worse: count((difference) => difference < 0),
    equal: count((difference) => difference === 0),
  };
}

/** Groups by row id. Different rows with the same id get a suffix. */
function byRow(scored: readonly ScoredTrace[]): Map<string, ScoredTrace[]> {
  const rows = new Map<string, ScoredTrace[]>();
  const indexes = new Map<string, number[]>();
  const sorted = scored.toSorted((a, b) => a.trace.index - b.trace.index);
  for (const each of sorted) {
    const { rowId, index } = each.trace;
    const known = indexes.get(rowId) ?? [];
    if (!known.includes(index)) indexes.set(rowId, [...known, index]);
    const at = (indexes.get(rowId) ?? []).indexOf(index);
    const key = at <= 0 ? rowId : `${rowId}#${at}`;
    const list = rows.get(key);
    if (list) list.push(each);
    else rows.set(key, [each]);
  }
  return rows;
}

function meanScore(scored: readonly ScoredTrace[]): number | null {
  return estimate(scored.flatMap(({ score }) => score.score ?? [])).mean;
}

function endingOf(scored: readonly ScoredTrace[]): string {
  const { trace } = scored[0] as ScoredTrace;
  const { steps } = trace;
  return `${endingLabel(endingKey(trace))} after ${steps.length} ${steps.length === 1 ? "step" : "steps"}`;
}
