import { cancelled } from "./trace-summary.ts";
import type { TraceSummary } from "./trace-summary.ts";

/** What a run has come to, in a few numbers. */
export interface RunTotals {
  /** Those that were begun and are over, however. */
  readonly rollouts: number;
  /** Those that were played to their end. */
  readonly finished: number;
  readonly failed: number;
  /** The sum of their rewards. */
  readonly reward: number;
  /** The sum of their squares; unknown where the run was begun before it was kept. */
  readonly squares?: number | undefined;
}

export const noTotals: RunTotals = Object.freeze({ rollouts: 0, finished: 0, failed: 0, reward: 0, squares: 0 });

/** How far the mean reward may be off; null where that is not known. */
export function standardErrorOf({ rollouts, reward, squares }: RunTotals): number | null {
  if (squares === undefined || rollouts < 2) return null;
  const variance = Math.max(0, squares - reward ** 2 / rollouts) / (rollouts - 1);
  return Math.sqrt(variance / rollouts);
}

type Counted = Pick<TraceSummary, "reason" | "reward">;

/** Counts one more. Where the same row had been played before, that no longer counts. */
export function addTotals(totals: RunTotals, summary: Counted, before?: Counted): RunTotals {
  const added = sum(totals, summary, 1);
  return before ? sum(added, before, -1) : added;
}

function isFailure(reason: string): boolean {
  return reason.startsWith("error");
}

function sum({ rollouts, finished, failed, reward, squares }: RunTotals, counted: Counted, sign: 1 | -1): RunTotals {
  return {
    rollouts: rollouts + sign,
    finished: finished + (counted.reason === cancelled ? 0 : sign),
    failed: failed + (isFailure(counted.reason) ? sign : 0),
    reward: reward + sign * counted.reward,
    squares: squares === undefined ? undefined : squares + sign * counted.reward ** 2,
  };
}
