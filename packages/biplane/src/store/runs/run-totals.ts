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
  const rows = await store.db
    .selectFrom("runs")
    .leftJoin("run_figures as figures", "figures.run", "runs.id")
    .selectAll("runs")
    .select([
      "figures.ended as figures_ended",
      "figures.pass as figures_pass",
      "figures.computed_at",
      "figures.took_ms",
      "figures.mean",
      "figures.standard_error as standardError",
      "figures.pass_rate as passRate",
      "figures.masked",
      "figures.tokens",
      "figures.cost",
    ])
    .execute();
  const scores = await newestScores(store);
  return rows.map((row) => {
    const { figures_ended: ended, computed_at, took_ms, masked, tokens } = row;
    const run = runFrom(row);
    const score = scores.get(run.id);
    if (ended === null || computed_at === null || took_ms === null || masked === null || tokens === null)
      return { run, totals: undefined, isCurrent: false, score };
    const { mean, standardError, passRate, cost } = row;
    return {
      run,
      totals: { mean, standardError, passRate, masked, tokens, cost },
      isCurrent: isCurrent({ ended, pass: row.figures_pass, computed_at, took_ms }, run),
      score,
    };
  });
}
