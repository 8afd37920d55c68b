import type { EpisodeStorage, StoredEpisode } from "@biplane/core/internal";
import type { Happening } from "./explore.ts";

/** The rows of a database, in memory. Each operation is one transaction. */
export class Rows {
  readonly episodes = new Map<string, StoredEpisode>();
  readonly names = new Map<string, string>();
  readonly commits: StoredEpisode[] = [];
}

/** A replica's connection to the rows. An operation happens when the schedule says so, or never if the replica dies. */
export class GatedStorage implements EpisodeStorage {
  readonly #replica: string;
  readonly #rows: Rows;
  readonly #waiting = new Set<Gate>();
  readonly died: Promise<void>;
  #die: () => void = () => undefined;
  isDead = false;

  constructor(replica: string, rows: Rows) {
    this.#replica = replica;
    this.#rows = rows;
    this.died = new Promise((resolve) => {
      this.#die = resolve;
    });
  }

  /** What can happen next. `canDie` adds the replica's death before and after each operation. */
  next(canDie: boolean): readonly Happening[] {
    if (this.isDead) return [];
    return [...this.#waiting].flatMap((gate) => {
      const name = `${this.#replica}: ${gate.name}`;
      const answered = { name, happen: () => this.#happen(gate)(true) };
      if (!canDie) return [answered];
      return [
        answered,
        { name: `${name}, then it dies`, happen: () => (this.#happen(gate)(false), this.kill()) },
        { name: `${this.#replica} dies before ${gate.name}`, happen: () => this.kill() },
      ];
    });
  }

  kill(): void {
    this.isDead = true;
    this.#waiting.clear();
    this.#die();
  }

  async add(episode: StoredEpisode): Promise<void> {
    await this.#gate("add", () => void this.#rows.episodes.set(episode.id, episode));
  }

  load(_: string, id: string, known?: number): Promise<StoredEpisode | "unchanged" | undefined> {
    return this.#gate("load", () => {
      const row = this.#rows.episodes.get(id);
      return row && row.revision === known ? "unchanged" : row;
    });
  }

  commit(episode: StoredEpisode): Promise<boolean> {
    return this.#gate(`commit ${episode.revision}`, () => {
      if (this.#rows.episodes.get(episode.id)?.revision !== episode.revision - 1) return false;
      this.#rows.episodes.set(episode.id, episode);
      this.#rows.commits.push(episode);
      return true;
    });
  }

  async remove({ id, revision }: Pick<StoredEpisode, "id" | "revision">): Promise<void> {
    await this.#gate("remove", () => {
      if (this.#rows.episodes.get(id)?.revision === revision) this.#rows.episodes.delete(id);
    });
  }

  name(_: string, name: string): Promise<string | undefined> {
    return this.#gate("read the name", () => this.#rows.names.get(name));
  }

  claimName(
    _: string,
    name: string,
    { target, instead }: { target: string; instead?: string | undefined },
  ): Promise<string> {
    return this.#gate("claim the name", () => {
      const held = this.#rows.names.get(name);
      if (held === undefined || held === instead) this.#rows.names.set(name, target);
      return this.#rows.names.get(name) as string;
    });
  }

  async setName(_: string, name: string, target: string | undefined): Promise<void> {
    await this.#gate("set the name", () => {
      if (target === undefined) this.#rows.names.delete(name);
      else this.#rows.names.set(name, target);
    });
  }

  #gate<T>(name: string, work: () => T): Promise<T> {
    if (this.isDead) return new Promise(() => undefined);
    return new Promise((resolve) => {
      this.#waiting.add({ name, work, resolve: resolve as (result: unknown) => void });
    });
  }

  #happen(gate: Gate): (isAnswered: boolean) => void {
    this.#waiting.delete(gate);
    const result = gate.work();
    return (isAnswered) => isAnswered && gate.resolve(result);
  }
}

interface Gate {
  readonly name: string;
  readonly work: () => unknown;
  readonly resolve: (result: unknown) => void;
}
