import { BiplaneError } from "@biplane/core";
import type { Score, ScoredTrace } from "../../rollout/score/scorer.ts";
import { shownEstimate } from "../../rollout/score/summary.ts";
import type { Summary } from "../../rollout/score/summary.ts";
import { insertRows } from "../change-rows.ts";
import type { SqlStore } from "../sql-store.ts";
import { storable } from "../storable.ts";
import type { ScoreRow } from "../tables.ts";
import { jobKey } from "./rollout-facts.ts";

/** The scores that a scorer gave the rollouts of a run, under a name. */
export interface Scoring {
  readonly name: string;
  /** The file or the name of the scorer. */
  readonly scorer: string;
  readonly scoredAt: string;
  readonly summary: Summary;
}

/** Keeps the scores of a run. A scoring of the same name is replaced. */
export async function saveScoring(
  { db }: SqlStore,
  run: string,
  scoring: Pick<Scoring, "name" | "scorer" | "summary"> & { readonly scored: readonly ScoredTrace[] },
): Promise<void> {
  const { name, scorer, summary, scored } = scoring;
  const rows = scored.map(({ trace, score }) => ({
    run,
    name,
    row_index: trace.index,
    repetition: trace.repetition,
    score: score.score ?? 0,
    is_valid: score.score === null ? 0 : 1,
    reason: score.reason === undefined ? null : storable(score.reason),
    parts: score.metrics ? JSON.stringify(score.metrics) : null,
    cost: trace.cost ?? null,
  }));
  const row = { run, name, scorer, scored_at: Date.now(), summary: JSON.stringify(summary) };
  await db.transaction().execute(async (transaction) => {
    for (const table of ["scores", "scorings"] as const)
      await transaction.deleteFrom(table).where("run", "=", run).where("name", "=", name).execute();
    await transaction.insertInto("scorings").values(row).execute();
    await insertRows(transaction, "scores", { rows });
  });
}

/** The scorings of a run, newest first. */
export async function listScorings({ db }: SqlStore, run: string): Promise<Scoring[]> {
  const rows = await db
    .selectFrom("scorings")
    .selectAll()
    .where("run", "=", run)
    .orderBy("scored_at", "desc")
    .execute();
  return rows.map(({ name, scorer, scored_at, summary }) => ({
    name,
    scorer,
    scoredAt: new Date(scored_at).toISOString(),
    summary: { ...noMasks, ...(JSON.parse(summary) as Summary) },
  }));
}

/** The mean of a scoring. */
export interface RunScore {
  readonly name: string;
  readonly mean: number | null;
  /** Null for fewer than two rows. */
  readonly standardError: number | null;
}

/** The newest scoring of each run that has one. */
export async function newestScores({ db }: SqlStore): Promise<Map<string, RunScore>> {
  const rows = await db.selectFrom("scorings").select(["run", "name", "summary"]).orderBy("scored_at").execute();
  const newest = new Map(rows.map((row) => [row.run, row]));
  return new Map(
    Array.from(newest, ([run, { name, summary }]) => {
      const found = JSON.parse(summary) as Summary;
      const { mean, standardError } = shownEstimate(found, found.rows);
      return [run, { name, mean, standardError }];
    }),
  );
}

/** Summaries that were stored before rollouts could be masked have no count of them. */
const noMasks = { masked: 0, maskedBy: {} };

/** The scores of one scoring by `jobKey`. */
export async function readScores(store: SqlStore, run: string, name: string): Promise<Map<string, Score>> {
  const scores = store.db.selectFrom("scores").selectAll();
  const rows = await scores.where("run", "=", run).where("name", "=", name).execute();
  if (rows.length === 0) {
    const names = (await listScorings(store, run)).map((scoring) => scoring.name);
    const known = names.length === 0 ? "It has none: biplane score makes one." : `It has ${names.join(", ")}.`;
    throw new BiplaneError("INVALID_INPUT", `The run ${run} has no scoring ${JSON.stringify(name)}. ${known}`);
  }
  return new Map(
    rows.map(({ row_index: index, repetition, ...row }) => [jobKey({ index, repetition }), scoreFrom(row)]),
  );
}

/** A rollout's score in one scoring. */
export interface RolloutScore extends Pick<Scoring, "name" | "scorer" | "scoredAt"> {
  readonly score: Score;
}

/** What the scorers of a run said about one rollout, newest first. */
export async function scoresOfRollout(
  { db }: SqlStore,
  { run, index, repetition }: { readonly run: string; readonly index: number; readonly repetition: number },
): Promise<RolloutScore[]> {
  const rows = await db
    .selectFrom("scorings")
    .innerJoin("scores", (join) =>
      join.onRef("scores.run", "=", "scorings.run").onRef("scores.name", "=", "scorings.name"),
    )
    .select(["scorings.name", "scorer", "scored_at", "score", "is_valid", "reason", "parts"])
    .where("scorings.run", "=", run)
    .where("row_index", "=", index)
    .where("repetition", "=", repetition)
    .orderBy("scored_at", "desc")
    .limit(maxScorings)
    .execute();
  return rows.map(({ name, scorer, scored_at, ...row }) => ({
    name,
    scorer,
    scoredAt: new Date(scored_at).toISOString(),
    score: scoreFrom(row),
  }));
}

const maxScorings = 50;

function scoreFrom({
  score,
  is_valid,
  reason,
  parts,
}: Pick<ScoreRow, "score" | "is_valid" | "reason" | "parts">): Score {
  return {
    score: is_valid === 1 ? score : null,
    isValid: is_valid === 1,
    ...(reason !== null && { reason }),
    ...(parts !== null && { metrics: JSON.parse(parts) as NonNullable<Score["metrics"]> }),
  };
}

/** The parts of a stored score, without their reasons. */
export function partScores(parts: string | null): Record<string, number> {
  if (parts === null) return {};
  const metrics = Object.entries(JSON.parse(parts) as NonNullable<Score["metrics"]>);
  return Object.fromEntries(metrics.map(([name, { score }]) => [name, score]));
}
