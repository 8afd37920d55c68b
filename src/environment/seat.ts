import type { Episode } from "./episode.ts";
import type { StartOptions } from "./episodes.ts";

/** A client's place: a socket, an MCP session, an Eval Protocol id. It has at most one episode at a time. */
export class Seat {
  readonly #keeper: Keeper;
  #defaults: StartOptions;
  #current: Episode | undefined;
  #starting: Promise<Episode> | undefined;

  constructor(keeper: Keeper, defaults: StartOptions) {
    this.#keeper = keeper;
    this.#defaults = defaults;
  }

  /** The episode, if there is one. */
  get current(): Episode | undefined {
    return this.#current;
  }

  /** The episode, begun with the seat's own seed and config if there is none yet. */
  episode(): Episode | Promise<Episode> {
    return this.#current ?? this.#starting ?? this.reset(this.#defaults);
  }

  /** Ends the episode and begins another. What is not said is as it was. */
  reset(options: StartOptions = {}): Promise<Episode> {
    const before = this.#starting;
    this.#defaults = { ...this.#defaults, ...present(options) };
    const starting = (async () => {
      await before?.catch(() => undefined);
      if (this.#current) await this.#keeper.end(this.#current);
      this.#current = undefined;
      const episode = await this.#keeper.start({ ...options, config: options.config ?? this.#defaults.config });
      this.#current = episode;
      return episode;
    })();
    this.#starting = starting;
    return starting.finally(() => {
      if (this.#starting === starting) this.#starting = undefined;
    });
  }

  /** Sits down at an episode that is there already. */
  take(episode: Episode): void {
    this.#current = episode;
  }

  /** Leaves the episode behind, for others to find. */
  release(): void {
    if (this.#current) this.#keeper.release(this.#current);
    this.#current = undefined;
  }

  async close(): Promise<void> {
    await this.#starting?.catch(() => undefined);
    if (this.#current) await this.#keeper.end(this.#current);
    this.#current = undefined;
  }
}

/** Who begins and ends episodes for a seat. */
export interface Keeper {
  start(options: StartOptions): Promise<Episode>;
  end(episode: Episode): Promise<void>;
  release(episode: Episode): void;
}

function present(options: StartOptions): StartOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined && value !== null));
}
