import { Turns } from "@biplane/core/internal";
import type { SqlStore } from "../sql-store.ts";
import { rewardOf } from "./rollout-facts.ts";
import { partScores } from "./scores.ts";

/** A rollout with its reward or score, without its trace. */
export interface ScoredRollout {
  readonly rollout: string;
  readonly rowId: string;
  readonly index: number;
  /** Null if it has none. */
  readonly score: number | null;
  readonly repetition: number;
  readonly ending: string;
  readonly steps: number;
  /** Parts of the reward, or of the score. */
  readonly parts: Readonly<Record<string, number>>;
}

export interface ScoredRolloutsOptions {
  /** The scoring whose scores to use (default: the rewards). */
  readonly scoring?: string | undefined;
  /** The most rollouts to read. */
  readonly limit: number;
}

/** The first ended rollouts of a run by row index. Yields to the event loop, so that a large run holds up nobody. */
export async function scoredRollouts(
  { db }: SqlStore,
  run: string,
  { scoring, limit }: ScoredRolloutsOptions,
): Promise<ScoredRollout[]> {
  const found: ScoredRollout[] = [];
  const turns = new Turns();
  for (let last: { index: number; repetition: number } | undefined; found.length < limit;) {
    let query = db
      .selectFrom("rollouts as rollout")
      .leftJoin("scores as kept", (join) =>
        join
          .onRef("kept.run", "=", "rollout.run")
          .on("kept.name", "=", scoring ?? "")
          .onRef("kept.row_index", "=", "rollout.row_index")
          .onRef("kept.repetition", "=", "rollout.repetition"),
      )
      .select([
        "rollout.rollout",
        "rollout.row_index as index",
        "rollout.repetition",
        "rollout.row_id as rowId",
        "rollout.ending",
        "rollout.steps",
        "rollout.reward",
        "rollout.masked",
        "rollout.parts",
        "kept.score",
        "kept.is_valid as isValid",
        "kept.parts as scoreParts",
      ])
      .where("rollout.run", "=", run)
      .where("rollout.ended_at", "is not", null)
      .orderBy("rollout.row_index")
      .orderBy("rollout.repetition")
      .limit(Math.min(pageSize, limit - found.length));
    if (last) {
      const { index, repetition } = last;
      query = query.where((eb) =>
        eb(eb.refTuple("rollout.row_index", "rollout.repetition"), ">", eb.tuple(index, repetition)),
      );
    }
    const page = await query.execute();
    for (const row of page) {
      const { rollout, index, repetition, rowId, ending, steps } = row;
      const usesRewards = scoring === undefined;
      if (!usesRewards && row.isValid === null) continue; // the scorer has not seen it
      const score = usesRewards ? rewardOf(row) : row.isValid === 1 ? row.score : null;
      const parts = usesRewards ? partsOf(row.parts) : partScores(row.scoreParts);
      found.push({ rollout, index, repetition, rowId, ending, steps, score, parts });
      await turns.next();
    }
    last = page.at(-1);
    if (page.length < pageSize) break;
  }
  return found;
}

const pageSize = 1000;

function partsOf(parts: string | null): ScoredRollout["parts"] {
  return parts === null ? {} : (JSON.parse(parts) as ScoredRollout["parts"]);
}
