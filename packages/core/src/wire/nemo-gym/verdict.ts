import type { Environment } from "../../environment/environment.ts";
import type { Episode } from "../../environment/episode.ts";
import type { FailureKind } from "../../environment/failure.ts";

/** What `/verify` adds to a rollout. A masked one has a reward too, because NeMo Gym requires one, but drops it. */
export interface NemoVerdict {
  readonly reward: number;
  readonly mask_sample: boolean;
  readonly failure_kind: string | null;
  readonly failure_reason: string | null;
  readonly step_count?: number;
  readonly terminated?: boolean;
  readonly truncated?: boolean;
}

/** The verdict on an episode as it stands. */
export function verdictOn({ rules }: Environment, episode: Episode): NemoVerdict {
  const { failure, totalReward, stepCount, terminated, truncated } = episode;
  if (failure?.masked || totalReward === null) return masked(kinds[failure?.kind ?? "judge"], failure?.message ?? "");
  if (!rules.options.reward && !rules.options.rubric)
    return masked("biplane:no_reward", `${rules.options.name} defines neither reward nor rubric.`);
  return {
    reward: totalReward,
    mask_sample: false,
    failure_kind: failure ? kinds[failure.kind] : null,
    failure_reason: failure?.message ?? null,
    step_count: stepCount,
    terminated,
    truncated,
  };
}

/** The verdict on an episode that is gone. */
export function lostVerdict(reason: string): NemoVerdict {
  return masked(kinds.lost, reason);
}

function masked(kind: string, reason: string): NemoVerdict {
  return { reward: 0, mask_sample: true, failure_kind: kind, failure_reason: reason };
}

/** Our kinds of failure by the names of NeMo Gym, or by our own with a prefix where it has none. */
const kinds: Readonly<Record<FailureKind, string>> = {
  environment: "biplane:environment",
  tool: "biplane:tool",
  agent: "agent_run_error",
  model: "provider_unavailable",
  simulator: "biplane:simulator",
  judge: "verifier_error",
  policy: "biplane:policy",
  timeout: "transport_timeout",
  infrastructure: "biplane:infrastructure",
  lost: "session_lost",
  cancelled: "cancelled",
};
