/** Keeps episodes outside of this process, so that they survive it and another process can continue them. */
export interface EpisodeStorage {
  /** Adds a new episode. */
  add(episode: StoredEpisode): Promise<void>;
  /** The episode with this id, if it belongs to the environment. `unchanged` if it still has the known revision. */
  load(environment: string, id: string, known?: number): Promise<StoredEpisode | "unchanged" | undefined>;
  /**
   * Replaces the stored episode if it still has the revision before this one. False if another process has changed or
   * removed it: then nothing is written.
   */
  commit(episode: StoredEpisode): Promise<boolean>;
  /** Removes an episode, unless another process has continued it. */
  remove(episode: Pick<StoredEpisode, "id" | "revision">): Promise<void>;
  /** What a name stands for in an environment: the id of an episode, or another name. */
  name(environment: string, name: string): Promise<string | undefined>;
  /** Lets a name stand for something if it stands for nothing, or for `instead`. Resolves to what it stands for now. */
  claimName(environment: string, name: string, claim: NameClaim): Promise<string>;
  /** Lets a name stand for something, or for nothing. */
  setName(environment: string, name: string, target: string | undefined): Promise<void>;
}

export interface NameClaim {
  readonly target: string;
  readonly instead?: string | undefined;
}

/** An episode as a row of a table. */
export interface StoredEpisode {
  readonly id: string;
  readonly environment: string;
  /** Counts the commits. It is the fence: a process that was paused cannot overwrite what others did. */
  readonly revision: number;
  /** The episode itself, encoded. */
  readonly data: string;
}
