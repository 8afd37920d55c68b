import { Environment } from "../environment/environment.ts";
import type { Episode } from "../environment/episode.ts";
import { BiplaneError } from "../errors.ts";
import type { CallLog, KeptCall } from "./call-log.ts";
import { shownResult, sizeOf } from "./call-result.ts";
import type { EpisodeStep, Fork, ShownEpisode } from "./contract.ts";
import type { Served } from "./served.ts";

export interface EpisodeBookOptions {
  readonly served: readonly Served[];
  /** Where calls are heard of. */
  readonly calls: Pick<CallLog, "onCall">;
  /** Told of episodes that something was called in. */
  readonly onMove?: (id: string) => void;
}

/** An episode and what it is one of. */
export interface FoundEpisode {
  readonly environment: Environment;
  readonly episode: Episode;
}

/**
 * The episodes of everything that is served, with what has been seen of them: their last steps, and the trace they were
 * replayed or forked from. All of it goes when the episode goes.
 */
export class EpisodeBook implements Disposable {
  readonly environments: readonly Environment[];
  readonly #steps = new WeakMap<Episode, KeptSteps>();
  readonly #origins = new WeakMap<Episode, NonNullable<ShownEpisode["origin"]>>();
  readonly #forks = new WeakMap<Episode, Fork>();
  readonly #stop: () => void;

  constructor({ served, calls, onMove }: EpisodeBookOptions) {
    this.environments = served.filter((each) => each instanceof Environment);
    this.#stop = calls.onCall((call) => {
      if (call.episode === undefined) return;
      this.#keep(call, call.episode);
      onMove?.(call.episode);
    });
  }

  *[Symbol.iterator](): Generator<FoundEpisode> {
    for (const environment of this.environments)
      for (const episode of environment.episodes) yield { environment, episode };
  }

  find(id: string): FoundEpisode | undefined {
    for (const environment of this.environments) {
      const episode = environment.episodes.find(id);
      if (episode) return { environment, episode };
    }
    return undefined;
  }

  environment(name: unknown): Environment {
    const found = this.environments.find((each) => each.name === name);
    if (found) return found;
    const names = this.environments.map((each) => each.name).join(", ");
    const known = names === "" ? "no environment is served here" : `server must be one of ${names}`;
    throw new BiplaneError("INVALID_INPUT", known);
  }

  /** The steps that were seen, the oldest first. */
  stepsOf(episode: Episode): EpisodeStep[] {
    return (this.#steps.get(episode)?.calls ?? []).map(shownStep);
  }

  originOf(episode: Episode): ShownEpisode["origin"] {
    return this.#origins.get(episode) ?? null;
  }

  setOrigin(episode: Episode, origin: NonNullable<ShownEpisode["origin"]>): void {
    this.#origins.set(episode, origin);
  }

  forkOf(episode: Episode): Fork | null {
    return this.#forks.get(episode) ?? null;
  }

  /** What was forked off it and is still there. */
  forksOf({ environment, episode }: FoundEpisode): Fork[] {
    const forks: Fork[] = [];
    for (const each of environment.episodes) {
      const fork = this.#forks.get(each);
      if (fork?.episode === episode.id) forks.push({ episode: each.id, step: fork.step });
      if (forks.length === mostForks) break;
    }
    return forks;
  }

  /** A fork has its origin's past. */
  inherit(fork: Episode, from: Episode): void {
    this.#forks.set(fork, { episode: from.id, step: fork.stepCount });
    const steps = this.#steps.get(from);
    if (steps) this.#steps.set(fork, { calls: [...steps.calls], characters: steps.characters });
    const origin = this.#origins.get(from);
    if (origin) this.#origins.set(fork, origin);
  }

  [Symbol.dispose](): void {
    this.#stop();
  }

  #keep(call: KeptCall, id: string): void {
    const environment = this.environments.find(({ name }) => name === call.server);
    const episode = environment?.episodes.find(id);
    const tool = environment?.server.find(call.tool);
    if (!episode || !tool) return;
    const steps = this.#steps.get(episode) ?? { calls: [], characters: 0 };
    this.#steps.set(episode, steps);
    // Code is worth what its calls are worth, and those stand here themselves.
    const step = { call, stepCount: episode.stepCount, reward: tool.composite ? null : (call.step?.reward ?? null) };
    steps.calls.push(step);
    steps.characters += charactersOf(step);
    while (steps.calls.length > mostSteps || (steps.characters > mostCharacters && steps.calls.length > 1)) {
      const oldest = steps.calls.shift();
      if (oldest) steps.characters -= charactersOf(oldest);
    }
  }
}

const mostSteps = 200;
const mostForks = 50;

/** There may be a thousand episodes at once. */
const mostCharacters = 256_000;

interface KeptSteps {
  readonly calls: KeptStep[];
  characters: number;
}

interface KeptStep {
  readonly call: KeptCall;
  readonly stepCount: number;
  readonly reward: number | null;
}

function charactersOf({ call: { input, result } }: KeptStep): number {
  return input.length + (result ? sizeOf(result) : 0);
}

function shownStep({ call, stepCount, reward }: KeptStep): EpisodeStep {
  return {
    step: call.step?.stepCount ?? stepCount,
    tool: call.tool,
    input: JSON.parse(call.input) as unknown,
    result: call.result && shownResult(call.result),
    outcome: call.outcome,
    reward,
    call: call.id,
  };
}
