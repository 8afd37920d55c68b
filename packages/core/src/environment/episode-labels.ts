import { callerOf } from "../call/caller-of.ts";
import { BiplaneError } from "../errors.ts";
import type { Principal } from "../tool/call.ts";
import type { Episode } from "./episode.ts";
import type { EpisodeNames } from "./episode-slot.ts";
import type { Episodes } from "./episodes.ts";

/**
 * The names that callers give to episodes. A name belongs to its caller: another one may use the same name. Trainers also
 * find the episodes of others by name, because they may list all episodes anyway.
 */
export class EpisodeLabels {
  readonly #episodes: Episodes;
  readonly #isTrainer: (principal: Principal) => boolean;
  readonly #localNames: EpisodeNames;

  constructor(episodes: Episodes, isTrainer: (principal: Principal) => boolean) {
    this.#episodes = episodes;
    this.#isTrainer = isTrainer;
    this.#localNames = localNames(episodes);
  }

  /** Names an episode. An older one of the same name keeps only its id. */
  async bind(label: string, episode: Episode, principal: Principal): Promise<void> {
    for (const name of [ownName(label, principal), sharedName(label)]) await this.#names.set(name, episode.id);
  }

  /** Names an episode unless this caller has an open one of the same name. Returns whether it did. */
  async claim(label: string, episode: Episode, principal: Principal): Promise<boolean> {
    const holder = await this.#get(ownName(label, principal), episode.id);
    if (holder && holder !== episode && !holder.isClosed) return false;
    await this.bind(label, episode, principal);
    return true;
  }

  /** The open episode with this id or name. */
  async find(label: string, principal: Principal): Promise<Episode | undefined> {
    const found =
      (await this.#episodes.find(label)) ??
      (await this.findOwn(label, principal)) ??
      (this.#isTrainer(principal) ? await this.#get(sharedName(label)) : undefined);
    return found?.isClosed ? undefined : found;
  }

  /** The open episode to which this caller gave the name. */
  async findOwn(label: string, principal: Principal): Promise<Episode | undefined> {
    const found = await this.#get(ownName(label, principal));
    return found?.isClosed ? undefined : found;
  }

  /** The episode of a name. If there is none, the name is given to `otherwise`. */
  async #get(name: string, otherwise?: string): Promise<Episode | undefined> {
    const id = await (otherwise === undefined ? this.#names.get(name) : this.#names.claim(name, otherwise));
    return id === undefined ? undefined : this.#episodes.find(id);
  }

  get #names(): EpisodeNames {
    return this.#episodes.names ?? this.#localNames;
  }
}

/** The names of episodes that are not stored. */
function localNames(episodes: Episodes): EpisodeNames {
  const ids = new Map<string, string>();
  return {
    get: async (name) => ids.get(name),
    claim: async (name, id) => ids.get(name) ?? (ids.set(name, id), id),
    set: async (name, id = "") => {
      if (ids.size >= 2 * episodes.maxEpisodes)
        for (const [known, of] of ids) if (!episodes.findHere(of)) ids.delete(known);
      ids.set(name, id);
    },
  };
}

export function unknownEpisode(name: string): BiplaneError {
  return new BiplaneError("NOT_FOUND", `There is no episode ${JSON.stringify(name.slice(0, 64))}.`);
}

function ownName(label: string, principal: Principal): string {
  return `label of ${callerOf(principal)} ${label}`;
}

function sharedName(label: string): string {
  return `label ${label}`;
}
