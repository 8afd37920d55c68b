import { randomInt } from "node:crypto";
import { BiplaneError, messageOf } from "../errors.ts";
import { describeFault } from "../tool/schema.ts";
import { Episode } from "./episode.ts";
import type { EpisodeBegin } from "./episode.ts";
import { createRandom } from "./random/random.ts";
import type { Rules } from "./rules.ts";
import { Seat } from "./seat.ts";
import { fromSnapshot, takeSnapshot } from "./snapshot.ts";
import type { Snapshot } from "./snapshot.ts";

export interface StartOptions {
  /** Left out: one is drawn, and can be read from the episode. */
  readonly seed?: number | bigint | null | undefined;
  readonly config?: unknown;
  readonly label?: string | undefined;
}

/** The episodes of an environment: begun, found, forked, ended; never more than there may be. */
export class Episodes {
  readonly rules: Rules;
  readonly most: number;
  readonly #idleMs: number;
  readonly #episodes = new Map<string, Episode>();
  /** Those that nobody is attached to, and that end when they have been idle for long. */
  readonly #detached = new Set<Episode>();
  readonly #closing = new AbortController();
  #starting = 0;
  #sweeper: NodeJS.Timeout | undefined;

  constructor(rules: Rules) {
    this.rules = rules;
    this.most = rules.options.maxEpisodes ?? 1000;
    this.#idleMs = rules.options.idleMs ?? 30 * 60_000;
  }

  get size(): number {
    return this.#episodes.size + this.#starting;
  }

  [Symbol.iterator](): Iterator<Episode> {
    return this.#episodes.values();
  }

  find(id: string): Episode | undefined {
    return this.#episodes.get(id);
  }

  /** Begins an episode that is kept until it is ended or idle for long. */
  async start(options: StartOptions = {}): Promise<Episode> {
    const episode = await this.#begin(() => this.#prepare(options));
    this.#detach(episode);
    return episode;
  }

  /** Goes on from a snapshot, in an episode of its own. */
  async restore(snapshot: Snapshot): Promise<Episode> {
    const episode = await this.#begin(() => fromSnapshot(this.rules, snapshot, this.#closing.signal));
    this.#detach(episode);
    return episode;
  }

  snapshot(episode: Episode): Promise<Snapshot> {
    return takeSnapshot(this.rules, episode);
  }

  /** Another episode that stands where this one stands. */
  async fork(episode: Episode): Promise<Episode> {
    return this.restore(await this.snapshot(episode));
  }

  async end(episode: Episode): Promise<void> {
    if (!this.#episodes.delete(episode.id)) return;
    this.#detached.delete(episode);
    const { close } = this.rules.options;
    try {
      await episode.belongings.close();
      if (close && episode.live !== undefined) await close(episode.live);
    } catch (error) {
      this.rules.report(error, "closing an episode");
    }
  }

  /** A place for one client, with an episode of its own. */
  seat(defaults: StartOptions = {}): Seat {
    return new Seat(
      {
        start: (options) => this.#begin(() => this.#prepare(options)),
        end: (episode) => this.end(episode),
        release: (episode) => this.#detach(episode),
      },
      defaults,
    );
  }

  /** Takes a free-standing episode for a client: it no longer ends by being idle. */
  attach(episode: Episode): void {
    this.#detached.delete(episode);
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    this.#closing.abort();
    await Promise.all([...this.#episodes.values()].map((episode) => this.end(episode)));
  }

  async #begin(prepare: () => Promise<EpisodeBegin>): Promise<Episode> {
    if (this.size >= this.most) {
      const details = { active: this.size, most: this.most };
      throw new BiplaneError("CAPACITY", `All ${this.most} places for episodes are taken`, { details });
    }
    this.#starting++;
    try {
      const episode = new Episode(this.rules, await prepare());
      this.#episodes.set(episode.id, episode);
      return episode;
    } finally {
      this.#starting--;
    }
  }

  async #prepare({ seed, config: given, label }: StartOptions): Promise<EpisodeBegin> {
    const { options } = this.rules;
    const config = await this.#readConfig(given);
    const actualSeed = seed ?? randomInt(2 ** 31);
    const random = seeded(actualSeed);
    const live = await options.open?.({ config, signal: this.#closing.signal });
    try {
      const state = await options.start({ config, random, live });
      const firstObservation = await this.rules.observe(state, { config, live, stepCount: 0 });
      return { seed: actualSeed, config, live, label, state, random, firstObservation };
    } catch (error) {
      if (live !== undefined) await options.close?.(live);
      throw new BiplaneError("EXECUTION_ERROR", `${options.name} could not start an episode: ${messageOf(error)}`, {
        cause: error,
      });
    }
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

  #sweep(): void {
    const now = Date.now();
    for (const episode of this.#detached) if (now - episode.lastUsed >= this.#idleMs) void this.end(episode);
  }
}

function seeded(seed: number | bigint): ReturnType<typeof createRandom> {
  try {
    return createRandom(seed);
  } catch (error) {
    throw new BiplaneError("INVALID_INPUT", messageOf(error));
  }
}
