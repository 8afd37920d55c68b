import type { Episode } from "./episode.ts";
import type { StartOptions } from "./episodes.ts";

export interface SlotOptions {
  /** How its first episode starts. Later ones keep the agent, and the config unless a reset gives another. */
  readonly start?: StartOptions;
  /** Set if nobody can reset it: the call after the one that failed with EPISODE_ENDED starts another episode. */
  readonly replacesEnded?: boolean;
}

/** The episode of one client: a socket, a session, a connection or a principal. At most one at a time. */
export class EpisodeSlot {
  readonly #starter: EpisodeStarter;
  readonly #first: StartOptions;
  readonly #replacesEnded: boolean;
  #current: Episode | undefined;
  #starting: Promise<Episode> | undefined;
  #isClosed = false;

  constructor(starter: EpisodeStarter, { start = {}, replacesEnded = false }: SlotOptions) {
    this.#starter = starter;
    this.#first = start;
    this.#replacesEnded = replacesEnded;
  }

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

  /** The episode to play in; starts one if there is none. */
  episode(): Episode | Promise<Episode> {
    const current = this.#current;
    if (this.#replacesEnded && current?.hasEnded && !current.endWasReported)
      throw current.reportEnd("The next call starts another.");
    return this.read();
  }

  /** The episode to read from. Unlike `episode`, it does not report an ending. */
  read(): Episode | Promise<Episode> {
    const current = this.#current;
    const isReplaced = this.#replacesEnded && current?.hasEnded && current.endWasReported;
    if (current?.isStale) return this.#reload(current);
    return current && !isReplaced ? current : (this.#starting ?? this.reset(this.#first));
  }

  /** Continues from what is stored. */
  async #reload(stale: Episode): Promise<Episode> {
    const found = await this.#starter.find(stale.id);
    if (this.#current === stale) this.#current = found;
    return this.read();
  }

  /** Starts another episode and ends this one. An invalid option leaves this one as it is. An omitted seed is random. */
  reset(options: StartOptions = {}): Promise<Episode> {
    const before = this.#starting;
    const starting = (async () => {
      await before?.catch(() => undefined);
      const { config = this.#first.config } = options;
      const { agent } = this.#first;
      return (this.#current = await this.#starter.start({ ...options, config, agent }, this.#current));
    })();
    this.#starting = starting;
    const settle = () => {
      if (this.#starting === starting) this.#starting = undefined;
    };
    starting.then(settle, settle);
    return starting;
  }

  /** Makes an existing episode the current one. */
  adopt(episode: Episode): void {
    this.#current = episode;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#starting?.catch(() => undefined);
    if (this.#current) await this.#starter.end(this.#current);
    this.#current = undefined;
  }
}

/** Starts and ends episodes for a slot. */
export interface EpisodeStarter {
  /** Starts an episode in place of another, if one is given. */
  start(options: StartOptions, before: Episode | undefined): Promise<Episode>;
  end(episode: Episode): Promise<void>;
  find(id: string): Episode | undefined | Promise<Episode | undefined>;
}
