import { callerOf } from "../call/caller-of.ts";
import { BiplaneError } from "../errors.ts";
import type { Principal } from "../tool/call.ts";
import type { Episode } from "./episode.ts";
import type { Episodes } from "./episodes.ts";

/**
 * The names that callers give to episodes. A name belongs to its caller: another one may use the same name. Trainers also
 * find the episodes of others by name, because they may list all episodes anyway.
 */
export class EpisodeLabels {
  readonly #episodes: Episodes;
  readonly #isTrainer: (principal: Principal) => boolean;
  /** Ids by name, if episodes are not stored. */
  readonly #ids = new Map<string, string>();

  constructor(episodes: Episodes, isTrainer: (principal: Principal) => boolean) {
    this.#episodes = episodes;
    this.#isTrainer = isTrainer;
  }

  /** Names an episode. An older one of the same name keeps only its id. */
  async bind(label: string, episode: Episode, principal: Principal): Promise<void> {
    for (const name of [ownName(label, principal), sharedName(label)]) await this.#set(name, episode.id);
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

  async #get(name: string): Promise<Episode | undefined> {
    const { names } = this.#episodes;
    const id = names ? await names.get(name) : this.#ids.get(name);
    return id === undefined ? undefined : this.#episodes.find(id);
  }

  async #set(name: string, id: string): Promise<void> {
    const { names } = this.#episodes;
    if (names) return names.set(name, id);
    if (this.#ids.size >= 2 * this.#episodes.maxEpisodes) this.#prune();
    this.#ids.set(name, id);
  }

  #prune(): void {
    for (const [name, id] of this.#ids) if (!this.#episodes.findHere(id)) this.#ids.delete(name);
  }
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
