import { BiplaneError } from "../errors.ts";
import { defaultVersion } from "../server/options.ts";
import { copyState } from "./copy-state.ts";
import type { Episode, EpisodeOrigin } from "./episode.ts";
import { readFailure } from "./failure.ts";
import type { Failure } from "./failure.ts";
import { restoreRandom } from "./random/random.ts";
import type { RandomState } from "./random/random-state.ts";
import type { Rewarded } from "./reward.ts";
import type { Rules } from "./rules.ts";

/** An episode as plain data. It can be stored, sent, and restored any number of times. */
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
  readonly failure?: Failure;
  /** Saved `EpisodeResources`, such as the state of code engines. */
  readonly resources?: Readonly<Record<string, unknown>>;
  /** Former name of `resources`, in snapshots of version 0.1. */
  readonly belongings?: Readonly<Record<string, unknown>>;
}

/** Takes a snapshot between two steps. */
export function takeSnapshot(rules: Rules, episode: Episode): Promise<Snapshot> {
  const { options } = rules;
  return episode.exclusively(async () => {
    if (!canBeSaved(rules)) {
      throw new BiplaneError(
        "NOT_SUPPORTED",
        `${options.name} cannot be saved, because it has open but not save and load. Define both.`,
      );
    }
    return snapshotOf(rules, episode, {
      state: copyState(episode.state),
      live: (await options.save?.(episode.live)) ?? null,
      resources: await episode.resources.save(),
    });
  });
}

/** True if everything in an episode is plain data, or can be saved as such. */
export function canBeSaved({ options }: Rules): boolean {
  return !options.open || Boolean(options.save && options.load);
}

/** An episode as plain data, given what may have to be copied or saved. */
export function snapshotOf(
  { options }: Rules,
  episode: Episode,
  parts: Pick<Snapshot, "state" | "live" | "resources">,
): Snapshot {
  const { seed, config, firstObservation, stepCount, earned, last, terminated, truncated, failure } = episode;
  return {
    format,
    environment: options.name,
    version: options.version ?? defaultVersion,
    seed: String(seed),
    config,
    random: episode.random.save(),
    firstObservation,
    stepCount,
    totalReward: earned,
    last,
    terminated,
    truncated,
    ...(failure && { failure }),
    ...parts,
  };
}

/** What a restored episode starts from. */
export async function fromSnapshot(rules: Rules, snapshot: Snapshot, signal: AbortSignal): Promise<EpisodeOrigin> {
  const { options } = rules;
  if (snapshot.format !== format || snapshot.environment !== options.name) {
    throw new BiplaneError("INVALID_INPUT", `This is not a snapshot of ${options.name}.`);
  }
  const { config, firstObservation, stepCount, totalReward: earned, last, terminated, truncated } = snapshot;
  return {
    seed: BigInt(snapshot.seed),
    config,
    live: options.open ? await options.load?.(snapshot.live, { config, signal }) : undefined,
    state: copyState(snapshot.state),
    random: restoreRandom(snapshot.random),
    firstObservation,
    stepCount,
    earned,
    last,
    terminated,
    truncated,
    failure: readFailure(snapshot.failure),
    resources: snapshot.resources ?? snapshot.belongings,
  };
}

const format = "biplane-episode-1";
