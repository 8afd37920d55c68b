import { option } from "../command/define.ts";
import { scoreTraces, totalReward } from "../../rollout/score/scorer.ts";
import type { ScoredTrace } from "../../rollout/score/scorer.ts";
import { jobKey } from "../../store/runs/rollout-facts.ts";
import { readTraces } from "../../store/runs/rollouts.ts";
import { readScores } from "../../store/runs/scores.ts";
import type { SqlStore } from "../../store/sql-store.ts";

/** The option that chooses between the rewards and the scores that were kept. */
export const scoringArgs = {
  scoring: option("The scoring whose scores to use (default: the rewards)"),
} as const;

/** The rollouts of a run with the scores of a scoring, or else with their total rewards. */
export async function scoredTraces(store: SqlStore, run: string, scoring: string | undefined): Promise<ScoredTrace[]> {
  const scores = scoring === undefined ? undefined : await readScores(store, run, scoring);
  const traces = await readTraces(store, run);
  if (!scores) return scoreTraces(traces, totalReward);
  return traces.flatMap((trace) => {
    const score = scores.get(jobKey(trace));
    return score ? [{ trace, score }] : [];
  });
}
