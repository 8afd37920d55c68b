import type { SqlStore } from "../sql-store.ts";
import { isCurrent } from "./run-figures.ts";
import type { RunTotals } from "./run-figures.ts";
import { runFrom } from "./run.ts";
import type { StoredRun } from "./run.ts";
import { newestScores } from "./scores.ts";
import type { RunScore } from "./scores.ts";

/** A run as a list shows it. */
export interface ListedRun {
  readonly run: StoredRun;
  /** Undefined if its figures were never computed. */
  readonly totals: RunTotals | undefined;
  /** False if the figures cover fewer rollouts than have ended. */
  readonly isCurrent: boolean;
  /** The newest result of a scorer. */
  readonly score: RunScore | undefined;
}

/** All runs with their totals, in any order. Reads a short row for each, not its rollouts. */
export async function listTotals(store: SqlStore): Promise<ListedRun[]> {
  const { db } = store;
  const figures = await db
    .selectFrom("run_figures")
    .select(["run", "ended", "pass", "computed_at", "took_ms"])
    .select(["mean", "standard_error as standardError", "pass_rate as passRate", "masked", "tokens", "cost"])
    .execute();
  const byRun = new Map(figures.map((each) => [each.run, each]));
  const scores = await newestScores(store);
  return (await db.selectFrom("runs").selectAll().execute()).map((row) => {
    const run = runFrom(row);
    const stored = byRun.get(run.id);
    if (!stored) return { run, totals: undefined, isCurrent: false, score: scores.get(run.id) };
    const { mean, standardError, passRate, masked, tokens, cost } = stored;
    const totals = { mean, standardError, passRate, masked, tokens, cost };
    return { run, totals, isCurrent: isCurrent(stored, run), score: scores.get(run.id) };
  });
}
