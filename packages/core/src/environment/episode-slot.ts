import type { LiveCall } from "../call/live-call.ts";
import type { Episode } from "./episode.ts";
import type { Episodes, StartOptions } from "./episodes.ts";

export interface SlotOptions {
  /** How its first episode starts. Later ones keep the agent, and the config unless a reset gives another. */
  readonly start?: StartOptions;
  /** Set if the client cannot reset it: the call after the one that failed with EPISODE_ENDED starts another episode. */
  readonly replacesEnded?: boolean;
  /** The name by which other processes find its episode, if episodes are stored. */
  readonly name?: string | undefined;
  /** Set if the client may never close the slot: its episode ends when another needs the place. */
  readonly isYielding?: boolean;
}

/** The episode of one client: a socket, a session, a connection or a principal. At most one at a time. */
export class EpisodeSlot {
  readonly #episodes: Episodes;
  readonly #first: StartOptions;
  readonly #replacesEnded: boolean;
  readonly #name: string | undefined;
  readonly #isYielding: boolean;
  #current: Episode | undefined;
  #starting: Promise<Episode> | undefined;
  #isClosed = false;

  constructor(episodes: Episodes, { start = {}, replacesEnded = false, name, isYielding = false }: SlotOptions) {
    this.#episodes = episodes;
    this.#first = start;
    this.#replacesEnded = replacesEnded;
    this.#name = name;
    this.#isYielding = isYielding;
  }

  /** The episode that this process knows of. Another process may have replaced it. */
  get current(): Episode | undefined {
    return this.#current;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** True if it holds no episode and starts none. */
  get isEmpty(): boolean {
    return !this.#starting && (!this.#current || this.#current.isClosed);
  }

  /** The episode to play in; starts one if there is none. A call that was made in one that has ended gets that one. */
  episode(call?: LiveCall): Episode | Promise<Episode> {
    if (this.#names) return this.#storedEpisode(call);
    const current = this.#current;
    if (this.#replacesEnded && current?.hasEnded && !current.endWasReported) {
      if (call && current.recall(call)) return current;
      throw current.reportEnd("The next call starts another.");
    }
    return this.read();
  }

  /** The episode to read from. Unlike `episode`, it does not report an ending. */
  read(): Episode | Promise<Episode> {
    if (this.#names) return this.#readStored();
    const current = this.#current;
    const isReplaced = this.#replacesEnded && current?.hasEnded && current.endWasReported;
    if (current?.isStale) return this.#reload(current).then((found) => found ?? this.#startFirst());
    return current && !isReplaced ? current : this.#startFirst();
  }

  /** The episode, if there is one. Starts none. */
  peek(): Episode | undefined | Promise<Episode | undefined> {
    if (this.#names) return this.#findStored();
    return this.#current?.isStale ? this.#reload(this.#current) : this.#current;
  }

  /** Starts another episode and ends this one. An invalid option leaves this one as it is. An omitted seed is random. */
  reset(options: StartOptions = {}): Promise<Episode> {
    return this.#start(options, { isFirst: false });
  }

  #start(options: StartOptions, { isFirst }: { isFirst: boolean }): Promise<Episode> {
    const before = this.#starting;
    const starting = (async () => {
      await before?.catch(() => undefined);
      const { config = this.#first.config } = options;
      const { agent } = this.#first;
      const replaced = await this.peek();
      // Another call was faster, perhaps in another process.
      if (isFirst && this.#names && replaced && !replaced.hasEnded) return replaced;
      const given = { ...options, config, agent };
      const episode = await (this.#isYielding
        ? this.#episodes.startYielding(given, replaced)
        : this.#episodes.startHeld(given, replaced));
      const faster = isFirst && !replaced ? await this.#claim(episode) : undefined;
      if (faster) return faster;
      await this.adopt(episode);
      return episode;
    })();
    this.#starting = starting;
    const settle = () => {
      if (this.#starting === starting) this.#starting = undefined;
    };
    starting.then(settle, settle);
    return starting;
  }

  /** Returns the episode of another process that started one for the same name at the same time. */
  async #claim(episode: Episode): Promise<Episode | undefined> {
    const winner = await this.#names?.claim(this.#name as string, episode.id);
    if (winner === undefined || winner === episode.id) return undefined;
    const faster = await this.#episodes.find(winner);
    if (!faster) return undefined; // It has ended meanwhile.
    await this.#episodes.end(episode);
    this.#current = faster;
    return faster;
  }

  /** Makes an existing episode the current one. */
  async adopt(episode: Episode): Promise<void> {
    this.#current = episode;
    await this.#names?.set(this.#name as string, episode.id);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#starting?.catch(() => undefined);
    const current = await this.peek();
    if (current) await this.#episodes.end(current);
    await this.#names?.set(this.#name as string, undefined);
    this.#current = undefined;
  }

  /** Closes without anyone waiting for it. A failure is reported. */
  closeInBackground(): void {
    this.close().catch((fault: unknown) => this.#episodes.rules.report(fault, "closing an episode"));
  }

  get #names(): EpisodeNames | undefined {
    return this.#name === undefined ? undefined : this.#episodes.names;
  }

  #startFirst(): Promise<Episode> {
    return this.#starting ?? this.#start(this.#first, { isFirst: true });
  }

  /** Continues from what is stored. */
  async #reload(stale: Episode): Promise<Episode | undefined> {
    const found = await this.#episodes.find(stale.id);
    if (this.#current === stale) this.#current = found;
    return this.#current;
  }

  async #storedEpisode(call: LiveCall | undefined): Promise<Episode> {
    const episode = await this.#readStored();
    if (!this.#replacesEnded || !episode.hasEnded || (call && episode.recall(call))) return episode;
    // Every process starts another one from now on.
    await this.#names?.set(this.#name as string, undefined);
    throw episode.reportEnd("The next call starts another.");
  }

  async #readStored(): Promise<Episode> {
    return (await this.#findStored()) ?? this.#startFirst();
  }

  async #findStored(): Promise<Episode | undefined> {
    const id = await this.#names?.get(this.#name as string);
    this.#current = id === undefined ? undefined : await this.#episodes.find(id);
    return this.#current;
  }
}

/** Names of episodes, the same in all processes. */
export interface EpisodeNames {
  get(name: string): Promise<string | undefined>;
  set(name: string, id: string | undefined): Promise<void>;
  /** Sets it if the name stands for nothing yet. Resolves to what it stands for now. */
  claim(name: string, id: string): Promise<string>;
}
