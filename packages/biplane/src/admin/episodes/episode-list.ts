import { Environment } from "@biplane/core/internal";
import type { Episode, Served } from "@biplane/core";
import { BiplaneError } from "@biplane/core";
import type { CallLog, LoggedCall } from "../calls/call-log.ts";
import { fromLoggedResult, loggedSize } from "../calls/call-result.ts";
import type { EpisodeStep, Fork, EpisodeSummary } from "./episode-api.ts";

export interface EpisodeListOptions {
  readonly served: readonly Served[];
  /** Source of call events. */
  readonly calls: Pick<CallLog, "onCall">;
  /** Called for the episode of each call. */
  readonly onMove?: (id: string) => void;
}

/** An episode and its environment. */
export interface FoundEpisode {
  readonly environment: Environment;
  readonly episode: Episode;
}

/**
 * The episodes of all servers, with their last steps and their origin: the trace or episode that they were made from.
 * The data is freed with the episode.
 */
export class EpisodeList implements Disposable {
  readonly environments: readonly Environment[];
  readonly #steps = new WeakMap<Episode, KeptSteps>();
  readonly #origins = new WeakMap<Episode, NonNullable<EpisodeSummary["origin"]>>();
  readonly #forks = new WeakMap<Episode, Fork>();
  readonly #stop: () => void;

  constructor({ served, calls, onMove }: EpisodeListOptions) {
    this.environments = served.filter((each) => each instanceof Environment);
    this.#stop = calls.onCall((call) => {
      if (call.episode === undefined) return;
      this.#record(call, call.episode);
      onMove?.(call.episode);
    });
  }

  *[Symbol.iterator](): Generator<FoundEpisode> {
    for (const environment of this.environments)
      for (const episode of environment.episodes) yield { environment, episode };
  }

  find(id: string): FoundEpisode | undefined {
    for (const environment of this.environments) {
      const episode = environment.episodes.findHere(id);
      if (episode) return { environment, episode };
    }
    return undefined;
  }

  environment(name: unknown): Environment {
    const found = this.environments.find((each) => each.name === name);
    if (found) return found;
    const names = this.environments.map((each) => each.name).join(", ");
    const known = names === "" ? "No environment is served." : `server must be one of ${names}.`;
    throw new BiplaneError("INVALID_INPUT", known);
  }

  /** The observed steps, oldest first. */
  stepsOf(episode: Episode): EpisodeStep[] {
    return (this.#steps.get(episode)?.calls ?? []).map(shownStep);
  }

  originOf(episode: Episode): EpisodeSummary["origin"] {
    return this.#origins.get(episode) ?? null;
  }

  setOrigin(episode: Episode, origin: NonNullable<EpisodeSummary["origin"]>): void {
    this.#origins.set(episode, origin);
  }

  forkOf(episode: Episode): Fork | null {
    return this.#forks.get(episode) ?? null;
  }

  /** Forks that still exist. */
  forksOf({ environment, episode }: FoundEpisode): Fork[] {
    const forks: Fork[] = [];
    for (const each of environment.episodes) {
      const fork = this.#forks.get(each);
      if (fork?.episode === episode.id) forks.push({ episode: each.id, step: fork.step });
      if (forks.length === maxForks) break;
    }
    return forks;
  }

  /** Copies the history of the original episode to its fork. */
  inherit(fork: Episode, from: Episode): void {
    this.#forks.set(fork, { episode: from.id, step: fork.stepCount });
    const steps = this.#steps.get(from);
    if (steps) this.#steps.set(fork, { calls: [...steps.calls], characters: steps.characters });
    const origin = this.#origins.get(from);
    if (origin) this.#origins.set(fork, origin);
    fork.player ??= from.player;
  }

  [Symbol.dispose](): void {
    this.#stop();
  }

  #record(call: LoggedCall, id: string): void {
    const environment = this.environments.find(({ name }) => name === call.server);
    const episode = environment?.episodes.findHere(id);
    const tool = environment?.server.find(call.tool);
    if (!episode || !tool) return;
    const steps = this.#steps.get(episode) ?? { calls: [], characters: 0 };
    this.#steps.set(episode, steps);
    // A composite call has no reward of its own: its inner calls are listed too.
    const step = { call, stepCount: episode.stepCount, reward: tool.composite ? null : (call.step?.reward ?? null) };
    steps.calls.push(step);
    steps.characters += charactersOf(step);
    while (steps.calls.length > maxSteps || (steps.characters > maxCharacters && steps.calls.length > 1)) {
      const oldest = steps.calls.shift();
      if (oldest) steps.characters -= charactersOf(oldest);
    }
  }
}

const maxSteps = 200;
const maxForks = 50;

/** Per episode. There may be a thousand episodes at once. */
const maxCharacters = 256_000;

interface KeptSteps {
  readonly calls: KeptStep[];
  characters: number;
}

interface KeptStep {
  readonly call: LoggedCall;
  readonly stepCount: number;
  readonly reward: number | null;
}

function charactersOf({ call: { input, result } }: KeptStep): number {
  return input.length + (result ? loggedSize(result) : 0);
}

function shownStep({ call, stepCount, reward }: KeptStep): EpisodeStep {
  return {
    step: call.step?.stepCount ?? stepCount,
    tool: call.tool,
    input: JSON.parse(call.input) as unknown,
    result: call.result && fromLoggedResult(call.result),
    outcome: call.outcome,
    reward,
    call: call.id,
  };
}
