import { BiplaneError } from "../errors.ts";
import { copyState } from "./copy-state.ts";
import type { Episode, EpisodeBegin } from "./episode.ts";
import { restoreRandom } from "./random/random.ts";
import type { RandomState } from "./random/random-state.ts";
import type { Rewarded } from "./reward.ts";
import type { Rules } from "./rules.ts";

/** An episode as plain data: kept, sent elsewhere, or begun anew from this point as often as wanted. */
export interface Snapshot {
  readonly format: "biplane-episode-1";
  readonly environment: string;
  readonly version: string;
  readonly seed: string;
  readonly config: unknown;
  readonly state: unknown;
  readonly live: unknown;
  readonly random: RandomState;
  readonly firstObservation: unknown;
  readonly stepCount: number;
  readonly totalReward: number;
  readonly last: Rewarded;
  readonly terminated: boolean;
  readonly truncated: boolean;
  /** What others keep with the episode, such as the state of its code. */
  readonly belongings?: Readonly<Record<string, unknown>>;
}

/** Takes a snapshot between two steps. */
export function takeSnapshot(rules: Rules, episode: Episode): Promise<Snapshot> {
  return episode.exclusively(async () => {
    const { options } = rules;
    if (options.open && !(options.save && options.load)) {
      throw new BiplaneError(
        "NOT_SUPPORTED",
        `${options.name} holds live things and cannot save them: it has no save and load`,
      );
    }
    const { seed, config, state, firstObservation, stepCount, totalReward, last, terminated, truncated } = episode;
    return {
      format,
      environment: options.name,
      version: options.version,
      seed: String(seed),
      config,
      state: copyState(state),
      live: (await options.save?.(episode.live)) ?? null,
      random: episode.random.save(),
      firstObservation,
      stepCount,
      totalReward,
      last,
      terminated,
      truncated,
      belongings: await episode.belongings.save(),
    };
  });
}

/** What an episode begins from, when it goes on from a snapshot. */
export async function fromSnapshot(rules: Rules, snapshot: Snapshot, signal: AbortSignal): Promise<EpisodeBegin> {
  const { options } = rules;
  if (snapshot.format !== format || snapshot.environment !== options.name) {
    throw new BiplaneError("INVALID_INPUT", `This is not a snapshot of ${options.name}`);
  }
  const { config, firstObservation, stepCount, totalReward, last, terminated, truncated } = snapshot;
  return {
    seed: BigInt(snapshot.seed),
    config,
    live: options.open ? await options.load?.(snapshot.live, { config, signal }) : undefined,
    state: copyState(snapshot.state),
    random: restoreRandom(snapshot.random),
    firstObservation,
    stepCount,
    totalReward,
    last,
    terminated,
    truncated,
    belongings: snapshot.belongings,
  };
}

const format = "biplane-episode-1";
