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
    const id = otherwise === undefined ? await this.#idOf(name) : await this.#claim(name, otherwise);
    return id === undefined ? undefined : this.#episodes.find(id);
  }

  #idOf(name: string): string | undefined | Promise<string | undefined> {
    const { names } = this.#episodes;
    return names ? names.get(name) : this.#ids.get(name);
  }

  #claim(name: string, id: string): string | Promise<string> {
    const { names } = this.#episodes;
    if (names) return names.claim(name, id);
    const known = this.#ids.get(name);
    if (known === undefined) this.#ids.set(name, id);
    return known ?? id;
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
