import { BiplaneError } from "../errors.ts";
import type { Episode, EpisodeOrigin } from "./episode.ts";
import type { EpisodeNames } from "./episode-slot.ts";
import type { Rules } from "./rules.ts";
import { fromSnapshot, snapshotOf } from "./snapshot.ts";
import type { Snapshot } from "./snapshot.ts";
import { decodeRecord, encodeRecord } from "./episode-record.ts";
import { noAnswers } from "./recent-answers.ts";
import type { EpisodeStorage, StoredEpisode } from "../store/episode-storage.ts";

export interface LoadEpisodeOptions {
  readonly signal: AbortSignal;
  readonly known: number | undefined;
}

/** Saves the episodes of an environment after every step. */
export class EpisodeSaver {
  readonly #rules: Rules;
  readonly #storage: EpisodeStorage;

  constructor(rules: Rules, storage: EpisodeStorage) {
    this.#rules = rules;
    this.#storage = storage;
  }

  /** Stores a new episode. */
  async add(episode: Episode): Promise<void> {
    await this.#storage.add(await this.#rowOf(episode, 0));
  }

  /**
   * Stores a step. False if another process has stored one before. If nothing was stored, the episode is stale: what
   * was stored before counts.
   */
  readonly save = async (episode: Episode): Promise<boolean> => {
    const revision = episode.revision + 1;
    let isSaved = false;
    try {
      const row = this.#rowOf(episode, revision);
      isSaved = await this.#storage.commit(row instanceof Promise ? await row : row);
    } finally {
      episode.isStale = !isSaved;
    }
    if (isSaved) episode.revision = revision;
    return isSaved;
  };

  /** What a stored episode continues from. `unchanged` if it still has the known revision. */
  async load(id: string, { signal, known }: LoadEpisodeOptions): Promise<EpisodeOrigin | "unchanged" | undefined> {
    const row = await this.#storage.load(this.#rules.options.name, id, known);
    if (!row || row === "unchanged") return row;
    const { snapshot, label, agent, player, startedAt, recent } = decodeRecord(row.data);
    const init = await fromSnapshot(this.#rules, snapshot, signal);
    const { revision } = row;
    const own = { id, label, agent, player, startedAt: new Date(startedAt), recent, revision };
    return { ...init, ...own, save: this.save };
  }

  readonly names: EpisodeNames = {
    get: (name) => this.#storage.name(this.#rules.options.name, name),
    claim: (name, target) => this.#storage.claimName(this.#rules.options.name, name, { target }),
    set: (name, target) => this.#storage.setName(this.#rules.options.name, name, target),
  };

  remove(episode: Pick<StoredEpisode, "id" | "revision">): Promise<void> {
    return this.#storage.remove(episode);
  }

  /** Returns a promise only if something in the episode is not plain data. */
  #rowOf(episode: Episode, revision: number): StoredEpisode | Promise<StoredEpisode> {
    const { options } = this.#rules;
    const { state, live, resources } = episode;
    if (!options.save && resources.isEmpty) return this.#row(episode, revision, { state, live: null });
    return (async () => {
      const saved = { live: (await options.save?.(live)) ?? null, resources: await resources.save() };
      return this.#row(episode, revision, { state, ...saved });
    })();
  }

  #row(episode: Episode, revision: number, parts: Pick<Snapshot, "state" | "live" | "resources">): StoredEpisode {
    const { id, label, agent, player, startedAt } = episode;
    const recent = episode.recent === noAnswers ? undefined : episode.recent;
    const snapshot = snapshotOf(this.#rules, episode, parts);
    const data = checkedLength(
      this.#rules,
      encodeRecord({ snapshot, label, agent, player, startedAt: startedAt.getTime(), recent }),
    );
    return { id, environment: this.#rules.options.name, revision, data };
  }
}

function checkedLength({ options: { name } }: Rules, data: string): string {
  if (data.length <= maxLength) return data;
  const message = `The state of this episode of ${name} has ${data.length} characters, and at most ${maxLength} can be saved. Keep less in it.`;
  throw new BiplaneError("CAPACITY", message);
}

const maxLength = 8 * 2 ** 20;
