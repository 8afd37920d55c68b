import { isIP } from "node:net";
import { callerOf } from "../call/caller-of.ts";
import type { Principal } from "../tool/call.ts";
import type { EpisodeSlot, SlotOptions } from "./episode-slot.ts";
import type { Episodes, StartOptions } from "./episodes.ts";

export interface CallerEpisodesOptions extends Required<Pick<SlotOptions, "replacesEnded">> {
  /** Whether a caller may do what trainers do. Others are agents, which hold a limited number of episodes. */
  readonly isTrainer: (principal: Principal) => boolean;
}

/**
 * The episodes of callers that name none: one for each session, else for each connection, else for each principal.
 * An episode starts with the first call.
 */
export class CallerEpisodes {
  readonly #episodes: Episodes;
  readonly #replacesEnded: boolean;
  readonly isTrainer: (principal: Principal) => boolean;
  readonly #bySource = new WeakMap<object, EpisodeSlot>();
  readonly #byName = new Map<string, EpisodeSlot>();

  constructor(episodes: Episodes, { replacesEnded, isTrainer }: CallerEpisodesOptions) {
    this.#episodes = episodes;
    this.isTrainer = isTrainer;
    this.#replacesEnded = replacesEnded;
  }

  /** Opens the slot of a session or connection, which must `release` it in the end. */
  open(
    source: object,
    principal: Principal,
    { start = {}, name }: Pick<SlotOptions, "start" | "name"> = {},
  ): EpisodeSlot {
    const slot = this.#episodes.openSlot({
      start: { ...start, ...this.#holder(principal) },
      replacesEnded: this.#replacesEnded,
      name,
    });
    this.#bySource.set(source, slot);
    return slot;
  }

  /** The slot of a session or connection. */
  slotOf(source: object, principal: Principal): EpisodeSlot {
    return this.#bySource.get(source) ?? this.open(source, principal);
  }

  /** The slot of a session or connection, if it has one. */
  find(source: object): EpisodeSlot | undefined {
    return this.#bySource.get(source);
  }

  /** Lets a connection use the slot of another. */
  share(source: object, slot: EpisodeSlot): void {
    this.#bySource.set(source, slot);
  }

  /** Forgets the slot of a session that another process continues. */
  leave(source: object): void {
    this.#bySource.delete(source);
  }

  /** Ends the episode of a closed session or connection. */
  release(source: object): void {
    this.#bySource.get(source)?.closeInBackground();
    this.#bySource.delete(source);
  }

  /** The slot of a caller that is known by its principal only. */
  slotOfPrincipal(principal: Principal): EpisodeSlot {
    const { kind, id } = principal;
    // An unauthenticated caller is anonymous on the endpoints for agents and a trainer on the others, by its address.
    return this.slotNamed(`${kind === "trainer" && isIP(id) ? "anonymous" : kind} ${id}`, principal);
  }

  /** The slot of a caller that never says when it leaves. */
  slotNamed(name: string, principal: Principal): EpisodeSlot {
    const known = this.#byName.get(name);
    if (known) return known;
    if (this.#byName.size >= this.#episodes.maxEpisodes) this.#prune();
    const slot = this.#episodes.openSlot({
      start: this.#holder(principal),
      replacesEnded: this.#replacesEnded,
      isYielding: true,
      name,
    });
    this.#byName.set(name, slot);
    return slot;
  }

  #holder(principal: Principal): Pick<StartOptions, "agent"> {
    return this.isTrainer(principal) ? {} : { agent: callerOf(principal) };
  }

  #prune(): void {
    for (const [name, { isEmpty }] of this.#byName) if (isEmpty) this.#byName.delete(name);
  }
}
