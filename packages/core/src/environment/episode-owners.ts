import { TokenBuckets } from "../call/token-bucket.ts";
import type { Rate } from "../call/token-bucket.ts";
import { BiplaneError } from "../errors.ts";
import type { Fleet } from "../server/fleet.ts";
import type { EpisodeStorage } from "../store/episode-storage.ts";
import { newEpisodeId, processInId } from "./episode-id.ts";

export interface EpisodeOwnersOptions {
  readonly environment: string;
  readonly fleet: Fleet;
  readonly storage: EpisodeStorage;
  /** True if another process can load an episode whose owner has died. */
  readonly isSaved: boolean;
}

/**
 * Knows in which process an episode lives, for environments whose steps may not be played twice, or whose episodes
 * cannot be saved. The others send requests for it there.
 */
export class EpisodeOwners {
  readonly fleet: Fleet;
  readonly #environment: string;
  readonly #storage: EpisodeStorage;
  readonly #isSaved: boolean;
  /** Names that this process owns, and until when that need not be looked up. */
  readonly #own = new Map<string, number>();
  readonly #claims = new TokenBuckets(Date.now);

  constructor({ environment, fleet, storage, isSaved }: EpisodeOwnersOptions) {
    this.#environment = environment;
    this.fleet = fleet;
    this.#storage = storage;
    this.#isSaved = isSaved;
    fleet.onReplaced(() => this.#own.clear());
  }

  newId(): string {
    return newEpisodeId(this.fleet.processId);
  }

  /**
   * The process that serves what a name stands for: the id of an episode or session, a label, or a caller. A name that
   * nobody owns becomes this process's. Throws if the episode was lost with its owner, or if the caller names too many.
   */
  async ownerOf(name: string, caller: string): Promise<string> {
    const { fleet } = this;
    const owner = await this.#find(name, caller);
    if (owner === fleet.processId && !fleet.isTrusted) {
      const message = "This server cannot reach its store, so others may continue the episode. Try again.";
      throw new BiplaneError("CAPACITY", message, { details: { retryAfterMs: 1000 } });
    }
    return owner;
  }

  async #find(name: string, caller: string): Promise<string> {
    const { fleet } = this;
    const home = processInId(name);
    if (home === fleet.processId || (this.#own.get(name) ?? 0) > performance.now()) return fleet.processId;
    if (home !== undefined && (await fleet.isRunning(home))) return home;
    const held = await this.#storage.name(this.#environment, ownerName(name));
    if (held === fleet.processId) this.#remember(name);
    if (held !== undefined && (await fleet.isRunning(held))) return held;
    if (home !== undefined && !this.#isSaved) throw lost();
    this.#countClaim(caller);
    const owner = await this.#storage.claimName(this.#environment, ownerName(name), {
      target: fleet.processId,
      instead: held,
    });
    if (owner !== fleet.processId) return owner;
    this.#remember(name);
    // From now on, the name stands for the next episode.
    if (held !== undefined && !this.#isSaved) throw lost();
    return owner;
  }

  /** Each claim is a row in the store, and callers choose their names. */
  #countClaim(caller: string): void {
    const waitMs = this.#claims.take(caller, claimRate);
    if (waitMs === 0) return;
    const message = `A caller can name at most ${claimRate.perSecond} new episodes or sessions per second. Try again.`;
    throw new BiplaneError("CAPACITY", message, { details: { retryAfterMs: waitMs } });
  }

  #remember(name: string): void {
    if (this.#own.size >= maxOwn) this.#own.clear();
    this.#own.set(name, performance.now() + knownMs);
  }
}

function ownerName(name: string): string {
  return `owner of ${name}`;
}

function lost(): BiplaneError {
  const message = "The episode was lost with the server in which it was. Start another; this one has no reward.";
  return new BiplaneError("EPISODE_ENDED", message, { details: { isLost: true } });
}

export const claimRate: Rate = { perSecond: 50, burst: 2000 };
const maxOwn = 10_000;
const knownMs = 60_000;
