import { randomInt } from "node:crypto";
import { BiplaneError, messageOf } from "../errors.ts";
import { describeFault } from "../tool/schema.ts";
import { Episode } from "./episode.ts";
import type { EpisodeInit, EpisodeOrigin } from "./episode.ts";
import { chain } from "../chain.ts";
import { isEpisodeId, newEpisodeId } from "./episode-id.ts";
import { EpisodeSaver } from "./episode-saver.ts";
import { createRandom } from "./random/random.ts";
import type { Rules } from "./rules.ts";
import { EpisodeSlot } from "./episode-slot.ts";
import type { EpisodeNames, SlotOptions } from "./episode-slot.ts";
import { canBeSaved, fromSnapshot, takeSnapshot } from "./snapshot.ts";
import type { Snapshot } from "./snapshot.ts";
import type { EpisodeStorage } from "../store/episode-storage.ts";

export interface StartOptions {
  /** Default: random; read it from the episode. */
  readonly seed?: number | bigint | null | undefined;
  readonly config?: unknown;
  readonly label?: string | undefined;
  /** Key of the agent that holds the episode, and may hold `maxEpisodesPerAgent` (default: a trainer does). */
  readonly agent?: string | undefined;
}

/** The episodes of an environment, limited in number. */
export class Episodes {
  readonly rules: Rules;
  readonly maxEpisodes: number;
  readonly #maxPerAgent: number;
  /** How many episodes each agent holds or starts. */
  readonly #perAgent = new Map<string, number>();
  readonly #idleMs: number;
  readonly #episodes = new Map<string, Episode>();
  /** Episodes without a client. They end after `idleMs`. */
  readonly #detached = new Set<Episode>();
  /** Detached episodes that end when another needs their place. */
  readonly #yielding = new Set<Episode>();
  readonly #closing = new AbortController();
  #saver: EpisodeSaver | undefined;
  /** Stored episodes that are being loaded, by id. */
  readonly #loading = new Map<string, Promise<Episode | undefined>>();
  /** Stored episodes that another process has started. They are not counted for their agents here. */
  readonly #copies = new WeakSet<Episode>();
  /** Makes the ids of episodes and of sessions that have one. */
  newId: () => string = newEpisodeId;
  /** Names that other processes know too. Undefined if episodes are not stored. */
  names: EpisodeNames | undefined;
  #isReleased = false;
  #starting = 0;
  #sweeper: NodeJS.Timeout | undefined;

  constructor(rules: Rules) {
    this.rules = rules;
    this.maxEpisodes = rules.options.maxEpisodes ?? defaultMaxEpisodes;
    this.#maxPerAgent = rules.options.maxEpisodesPerAgent ?? Math.max(1, Math.floor(this.maxEpisodes / 10));
    this.#idleMs = rules.options.idleMs ?? 30 * 60_000;
  }

  get size(): number {
    return this.#episodes.size + this.#starting;
  }

  /** True if no other episode can start. */
  get isFull(): boolean {
    return this.size >= this.maxEpisodes && !this.#longestIdle();
  }

  [Symbol.iterator](): Iterator<Episode> {
    return this.#episodes.values();
  }

  /** Saves episodes in `storage` from now on. Returns false if they hold something that cannot be saved. */
  storeIn(storage: EpisodeStorage): boolean {
    if (!canBeSaved(this.rules)) return false;
    const saver = new EpisodeSaver(this.rules, storage);
    this.#saver = saver;
    this.names = {
      ...saver.names,
      set: async (name, id) => {
        if (!this.#isReleased || id !== undefined) await saver.names.set(name, id);
      },
    };
    return true;
  }

  /** The episode with this id, if it is in this process. */
  findHere(id: string): Episode | undefined {
    return this.#episodes.get(id);
  }

  /** The episode with this id. A stored one may have been continued by another process, so it is looked up. */
  find(id: string): Episode | undefined | Promise<Episode | undefined> {
    if (!this.#saver) return this.findHere(id);
    if (!isEpisodeId(id)) return undefined;
    let loading = this.#loading.get(id);
    if (!loading) {
      loading = this.#load(id, this.#saver).finally(() => this.#loading.delete(id));
      this.#loading.set(id, loading);
    }
    return loading;
  }

  /** The same episode, or the stored one if another process has continued it. Throws if it has ended. */
  latest(episode: Episode): Episode | Promise<Episode> {
    if (!episode.isStale) return episode;
    return chain(this.find(episode.id), (found) => {
      if (found) return found;
      throw episode.reportEnd("Start another.");
    });
  }

  /** True if they are saved after every step. */
  get areStored(): boolean {
    return this.#saver !== undefined;
  }

  /** Closes all episodes in this process. Those that are stored can be found again. */
  async forgetAll(): Promise<void> {
    await Promise.all([...this.#episodes.values()].map((episode) => this.#forget(episode)));
  }

  /** Leaves stored episodes to other processes: closing them here does not end them. */
  release(): void {
    this.#isReleased = this.#saver !== undefined;
  }

  async #load(id: string, saver: EpisodeSaver): Promise<Episode | undefined> {
    const here = this.#episodes.get(id);
    // While a step is made here, the storage is behind. If it is behind for another reason, the step is made again.
    if (here?.isBusy && !here.isStale) return here;
    const known = here?.isStale ? undefined : here?.revision;
    let init = await saver.load(id, { signal: this.#closing.signal, known });
    const isCurrent = here && !here.isStale && (init === "unchanged" || here.isBusy || here.revision !== known);
    if (isCurrent) return here;
    if (here) await this.#forget(here);
    // It turned stale meanwhile, or was forgotten.
    if (init === "unchanged") init = await saver.load(id, { signal: this.#closing.signal, known: undefined });
    if (!init || init === "unchanged") return undefined;
    const loaded = init;
    const episode = await this.#begin(() => Promise.resolve(loaded));
    this.#copies.add(episode);
    this.#detach(episode);
    this.#yielding.add(episode);
    return episode;
  }

  /** Starts an episode that lasts until it is ended or idle for too long. Ends `before`, once the options are valid. */
  async start(options: StartOptions = {}, before?: Episode): Promise<Episode> {
    const episode = await this.startHeld(options, before);
    this.#detach(episode);
    return episode;
  }

  /** Starts an episode for a client that may never come back. It ends when another needs its place. */
  async startYielding(options: StartOptions = {}, before?: Episode): Promise<Episode> {
    const episode = await this.start(options, before);
    this.#yielding.add(episode);
    return episode;
  }

  /** Starts a new episode from a snapshot. */
  async restore(snapshot: Snapshot): Promise<Episode> {
    const episode = await this.#begin(() => fromSnapshot(this.rules, snapshot, this.#closing.signal));
    this.#detach(episode);
    return episode;
  }

  snapshot(episode: Episode): Promise<Snapshot> {
    return takeSnapshot(this.rules, episode);
  }

  /** Starts a new episode from the current state of this one. */
  async fork(episode: Episode): Promise<Episode> {
    return this.restore(await this.snapshot(episode));
  }

  async end(episode: Episode): Promise<void> {
    if (!this.#isReleased) await this.#saver?.remove(episode);
    await this.#forget(episode, { isRemoved: true });
  }

  /** Closes an episode in this process. One that is still stored can be found again. */
  async #forget(episode: Episode, { isRemoved = false } = {}): Promise<void> {
    if (this.#episodes.get(episode.id) !== episode) return;
    this.#episodes.delete(episode.id);
    this.#detached.delete(episode);
    this.#yielding.delete(episode);
    if (!this.#copies.delete(episode)) this.#countFor(episode.agent, -1);
    if (isRemoved || !this.#saver) episode.isClosed = true;
    else episode.isStale = true;
    const { close } = this.rules.options;
    try {
      await episode.resources.close();
      if (close && episode.live !== undefined) await close(episode.live);
    } catch (error) {
      this.rules.report(error, "closing an episode");
    }
  }

  openSlot(options: SlotOptions = {}): EpisodeSlot {
    return new EpisodeSlot(this, options);
  }

  /** Attaches a client, so the episode no longer ends when idle. */
  attach(episode: Episode): void {
    this.#detached.delete(episode);
    this.#yielding.delete(episode);
  }

  async close(): Promise<void> {
    this.release();
    clearInterval(this.#sweeper);
    this.#closing.abort();
    await Promise.all([...this.#episodes.values()].map((episode) => this.end(episode)));
  }

  /** Starts an episode for a client that ends it, in place of `before`, if that is given. Invalid options leave it as it is. */
  async startHeld({ seed, config, label, agent }: StartOptions, before?: Episode): Promise<Episode> {
    const actualSeed = seed ?? randomInt(2 ** 31);
    const plan = { config: await this.#readConfig(config), seed: actualSeed, random: seeded(actualSeed), label, agent };
    const isReplaced = before !== undefined && !before.isClosed && before.agent === agent;
    if (agent !== undefined && !isReplaced) this.#checkShare(agent);
    this.#countFor(agent, 1);
    try {
      return await this.#begin(() => this.#prepare(plan), before);
    } catch (error) {
      this.#countFor(agent, -1);
      throw error;
    }
  }

  async #begin(prepare: () => Promise<EpisodeOrigin>, before?: Episode): Promise<Episode> {
    const ending = before && !before.isClosed ? before : this.#findRoom();
    this.#starting++;
    try {
      // A stored episode that makes room may be in use elsewhere.
      if (ending) await (ending !== before && this.#saver ? this.#forget(ending) : this.end(ending));
      const init = await prepare();
      const episode = new Episode(this.rules, { ...init, id: init.id ?? this.newId(), save: this.#saver?.save });
      if (init.id === undefined) await this.#saver?.add(episode);
      this.#episodes.set(episode.id, episode);
      // Its client may continue elsewhere without saying so.
      if (this.#saver) this.#detach(episode);
      return episode;
    } finally {
      this.#starting--;
    }
  }

  #checkShare(agent: string): void {
    const active = this.#perAgent.get(agent) ?? 0;
    if (active < this.#maxPerAgent) return;
    const message = `You hold all ${this.#maxPerAgent} episodes that one agent may have. End one, or raise maxEpisodesPerAgent.`;
    throw new BiplaneError("CAPACITY", message, { details: { active, most: this.#maxPerAgent } });
  }

  #countFor(agent: string | undefined, difference: number): void {
    if (agent === undefined) return;
    const count = (this.#perAgent.get(agent) ?? 0) + difference;
    if (count > 0) this.#perAgent.set(agent, count);
    else this.#perAgent.delete(agent);
  }

  async #prepare(plan: EpisodePlan): Promise<EpisodeOrigin> {
    const { options } = this.rules;
    const { config, random } = plan;
    const live = await options.open?.({ config, signal: this.#closing.signal });
    try {
      const state = await options.start({ config, random, live });
      const firstObservation = await this.rules.observe(state, { config, live, stepCount: 0 });
      return { ...plan, live, state, firstObservation };
    } catch (error) {
      if (live !== undefined) await options.close?.(live);
      throw new BiplaneError("EXECUTION_ERROR", `${options.name} could not start an episode: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  /** The episode that must end before another can start, if any. Throws if every place is in use. */
  #findRoom(): Episode | undefined {
    if (this.size < this.maxEpisodes) return undefined;
    const idle = this.#longestIdle();
    if (idle) return idle;
    const message = `All ${this.maxEpisodes} episodes are in use. Try again later or raise maxEpisodes.`;
    throw new BiplaneError("CAPACITY", message, { details: { active: this.size, most: this.maxEpisodes } });
  }

  #longestIdle(): Episode | undefined {
    let longest: Episode | undefined;
    for (const episode of this.#yielding) {
      if (!episode.isBusy && !(longest && longest.lastUsed <= episode.lastUsed)) longest = episode;
    }
    return longest;
  }

  async #readConfig(given: unknown = {}): Promise<unknown> {
    const checked = await this.rules.config?.check(given);
    if (!checked) return {};
    if (checked.ok) return checked.value;
    throw new BiplaneError(
      "INVALID_INPUT",
      `Invalid config for ${this.rules.options.name}: ${describeFault(checked.fault)}`,
    );
  }

  #detach(episode: Episode): void {
    this.#detached.add(episode);
    this.#sweeper ??= setInterval(() => this.#sweep(), Math.max(10, Math.min(this.#idleMs / 2, 60_000))).unref();
  }

  /** A stored episode may be in use elsewhere, so it is only forgotten here. */
  #endInBackground(episode: Episode): void {
    const ending = this.#saver ? this.#forget(episode) : this.end(episode);
    ending.catch((fault: unknown) => this.rules.report(fault, "ending an idle episode"));
  }

  #sweep(): void {
    const now = Date.now();
    for (const episode of this.#detached) if (now - episode.lastUsed >= this.#idleMs) this.#endInBackground(episode);
  }
}

type EpisodePlan = Pick<EpisodeInit, "seed" | "config" | "random" | "label" | "agent">;

function seeded(seed: number | bigint): ReturnType<typeof createRandom> {
  try {
    return createRandom(seed);
  } catch (error) {
    throw new BiplaneError("INVALID_INPUT", messageOf(error));
  }
}

export const defaultMaxEpisodes = 1000;
