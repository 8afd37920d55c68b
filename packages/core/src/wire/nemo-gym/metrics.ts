import { isRecord } from "../../is-record.ts";

/** `/aggregate_metrics`: the mean reward of the rollouts that count, and how many do not. */
export function meanReward(responses: unknown): object {
  const all = Array.isArray(responses) ? responses.filter(isRecord) : [];
  const rewards = all.flatMap(({ reward, mask_sample: masked }) =>
    masked !== true && typeof reward === "number" && Number.isFinite(reward) ? [reward] : [],
  );
  const mean = rewards.length > 0 ? rewards.reduce((sum, each) => sum + each, 0) / rewards.length : null;
  const metrics = { ...(mean !== null && { "mean/reward": mean }), masked_rollouts: all.length - rewards.length };
  return { group_level_metrics: [], agent_metrics: metrics, key_metrics: metrics };
}
