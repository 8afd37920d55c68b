import { option } from "../command/define.ts";
import { scoreTraces, totalReward } from "../../rollout/score/scorer.ts";
import type { ScoredTrace } from "../../rollout/score/scorer.ts";
import { jobKey } from "../../store/runs/rollout-facts.ts";
import { annotationsByRollout } from "../../store/runs/annotations.ts";
import { readTraces } from "../../store/runs/rollouts.ts";
import { readScores } from "../../store/runs/scores.ts";
import type { SqlStore } from "../../store/sql-store.ts";

/** The option that chooses between the rewards and the scores that were kept. */
export const scoringArgs = {
  scoring: option("The scoring whose scores to use (default: the rewards)"),
} as const;

/** The rollouts of a run with their annotations and the scores of a scoring, or else their total rewards. */
export async function scoredTraces(store: SqlStore, run: string, scoring: string | undefined): Promise<ScoredTrace[]> {
  const scores = scoring === undefined ? undefined : await readScores(store, run, scoring);
  const traces = await readTraces(store, run);
  const written = await annotationsByRollout(store, run);
  const scored = scores
    ? traces.flatMap((trace) => {
        const score = scores.get(jobKey(trace));
        return score ? [{ trace, score }] : [];
      })
    : await scoreTraces(traces, totalReward);
  return scored.map((each) => ({ ...each, annotations: written.get(each.trace.rollout) }));
}
