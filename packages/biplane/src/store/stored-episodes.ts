import type { EpisodeStorage, NameClaim, StoredEpisode } from "@biplane/core/internal";
import { sql } from "kysely";
import type { Kysely } from "kysely";
import { changesRow, insertRows } from "./change-rows.ts";
import { GroupWriter } from "./group-writer.ts";
import type { SqlStore } from "./sql-store.ts";
import type { Tables } from "./tables.ts";

/** The episodes of all environments. Steps of many episodes are committed together. */
export class StoredEpisodes implements EpisodeStorage {
  readonly #store: SqlStore;
  readonly #writer: GroupWriter<EpisodeWrite, boolean>;
  readonly #reader: GroupWriter<EpisodeRead, StoredEpisode | "unchanged" | undefined>;
  #sweptAt = Date.now();

  constructor(store: SqlStore) {
    this.#store = store;
    this.#writer = new GroupWriter((writes) => this.#write(writes), { sizeOf });
    this.#reader = new GroupWriter((reads) => this.#read(reads));
  }

  async add(episode: StoredEpisode): Promise<void> {
    await this.#writer.write({ kind: "add", episode });
  }

  load(environment: string, id: string, known?: number): Promise<StoredEpisode | "unchanged" | undefined> {
    return this.#reader.write({ environment, id, known });
  }

  /** One statement for many episodes. Postgres sends no data of those that have not changed. */
  async #read(reads: readonly EpisodeRead[]): Promise<readonly (StoredEpisode | "unchanged" | undefined)[]> {
    if (this.#store.engine === "sqlite") return Promise.all(reads.map((read) => this.#readOne(read)));
    const { rows } = await sql<{ at: number } & StoredEpisode & { data: string | null }>`
      select asked.at, stored.id, stored.environment, stored.revision,
        case when stored.revision = asked.known then null else stored.data end as data
      from unnest(
        ${reads.map((_, at) => at)}::int[],
        ${reads.map(({ id }) => id)}::text[],
        ${reads.map(({ known = -1 }) => known)}::bigint[]
      ) as asked (at, id, known)
      join ${sql.table("biplane.episodes")} as stored on stored.id = asked.id`.execute(this.#store.db);
    const found = new Map(rows.map((row) => [row.at, row]));
    return reads.map(({ environment }, at) => {
      const row = found.get(at);
      if (!row || row.environment !== environment) return undefined;
      return row.data === null ? "unchanged" : row;
    });
  }

  async #readOne({ environment, id, known }: EpisodeRead): Promise<StoredEpisode | "unchanged" | undefined> {
    const row = await this.#store.db
      .selectFrom("episodes")
      .select(["id", "environment", "revision", "data"])
      .where("id", "=", id)
      .where("environment", "=", environment)
      .executeTakeFirst();
    return row && row.revision === known ? "unchanged" : row;
  }

  commit(episode: StoredEpisode): Promise<boolean> {
    return this.#writer.write({ kind: "commit", episode });
  }

  async remove({ id, revision }: Pick<StoredEpisode, "id" | "revision">): Promise<void> {
    await this.#writer.write({ kind: "remove", id, revision });
  }

  async name(environment: string, name: string): Promise<string | undefined> {
    const row = await this.#store.db
      .selectFrom("episode_names")
      .select(["target", "used_at"])
      .where("environment", "=", environment)
      .where("name", "=", name)
      .executeTakeFirst();
    if (row && row.used_at < Date.now() - touchEveryMs) await this.#touchName(environment, name);
    return row?.target;
  }

  /** A name in use is not swept. */
  async #touchName(environment: string, name: string): Promise<void> {
    await this.#store.db
      .updateTable("episode_names")
      .set({ used_at: Date.now() })
      .where("environment", "=", environment)
      .where("name", "=", name)
      .execute();
  }

  async claimName(environment: string, name: string, { target, instead }: NameClaim): Promise<string> {
    const row = { environment, name, target, used_at: Date.now() };
    this.#sweepNowAndThen(row.used_at);
    await this.#store.db
      .insertInto("episode_names")
      .values(row)
      .onConflict((conflict) =>
        instead === undefined
          ? conflict.doNothing()
          : conflict
              .columns(["environment", "name"])
              .doUpdateSet({ target, used_at: row.used_at })
              .where("episode_names.target", "=", instead),
      )
      .execute();
    return (await this.name(environment, name)) ?? target;
  }

  async setName(environment: string, name: string, target: string | undefined): Promise<void> {
    const { db } = this.#store;
    if (target === undefined) {
      await db.deleteFrom("episode_names").where("environment", "=", environment).where("name", "=", name).execute();
      return;
    }
    const row = { environment, name, target, used_at: Date.now() };
    await insertRows(db, "episode_names", { rows: [row], ifKnown: "replace" });
  }

  /** One transaction. Returns for each write whether it was made. */
  async #write(writes: readonly EpisodeWrite[]): Promise<readonly boolean[]> {
    const now = Date.now();
    const added = writes.flatMap((write) => (write.kind === "add" ? [{ ...write.episode, used_at: now }] : []));
    const removed = writes.flatMap((write) => (write.kind === "remove" ? [write] : []));
    const changed = writes.flatMap((write) => (write.kind === "commit" ? [write.episode] : []));
    const committed = new Set<string>();
    const work = async (db: Kysely<Tables>) => {
      committed.clear();
      await insertRows(db, "episodes", { rows: added, ifKnown: "keep" });
      for (const each of await this.#commit(db, changed, now)) committed.add(each);
      for (const { id, revision } of removed)
        await db.deleteFrom("episodes").where("id", "=", id).where("revision", "=", revision).execute();
    };
    // A single statement is a transaction by itself.
    const isSingle = added.length + removed.length === 0 && this.#store.engine === "postgres";
    await (isSingle ? work(this.#store.db) : this.#store.db.transaction().execute(work));
    this.#sweepNowAndThen(now);
    return writes.map((write) => write.kind !== "commit" || committed.has(commitKey(write.episode)));
  }

  /** Returns the keys of the episodes that still had the revision before. */
  async #commit(db: Kysely<Tables>, episodes: readonly StoredEpisode[], now: number): Promise<readonly string[]> {
    if (episodes.length === 0) return [];
    if (this.#store.engine === "sqlite") return this.#commitEach(db, episodes, now);
    const { rows } = await sql<Pick<StoredEpisode, "id" | "revision">>`
      update ${sql.table("biplane.episodes")} as stored
      set revision = given.revision, data = given.data, used_at = ${now}
      from unnest(
        ${episodes.map(({ id }) => id)}::text[],
        ${episodes.map(({ revision }) => revision)}::bigint[],
        ${episodes.map(({ data }) => data)}::text[]
      ) as given (id, revision, data)
      where stored.id = given.id and stored.revision = given.revision - 1
      returning stored.id, stored.revision`.execute(db);
    return rows.map(commitKey);
  }

  async #commitEach(db: Kysely<Tables>, episodes: readonly StoredEpisode[], now: number): Promise<readonly string[]> {
    const commits = episodes.map(async ({ id, revision, data }) => {
      const before = db
        .updateTable("episodes")
        .where("id", "=", id)
        .where("revision", "=", revision - 1);
      return (await changesRow(before.set({ revision, data, used_at: now }))) ? [commitKey({ id, revision })] : [];
    });
    return (await Promise.all(commits)).flat();
  }

  /** Deletes what processes that died have left behind, and names that callers made up. */
  #sweepNowAndThen(now: number): void {
    if (now - this.#sweptAt < sweepEveryMs) return;
    this.#sweptAt = now;
    const before = now - abandonedAfterMs;
    const { db } = this.#store;
    const sweep = async () => {
      await db.deleteFrom("episodes").where("used_at", "<", before).execute();
      await db
        .deleteFrom("episode_names")
        .where("name", "like", `${ownerPrefix}%`)
        .where("used_at", "<", now - 2 * touchEveryMs)
        .execute();
      await db
        .deleteFrom("episode_names")
        .where("used_at", "<", before)
        .where("target", "not in", db.selectFrom("episodes").select("id"))
        .execute();
    };
    sweep().catch(() => undefined); // The next sweep deletes them.
  }
}

interface EpisodeRead {
  readonly environment: string;
  readonly id: string;
  /** The revision that the reader has. */
  readonly known: number | undefined;
}

type EpisodeWrite =
  | { readonly kind: "add" | "commit"; readonly episode: StoredEpisode }
  | { readonly kind: "remove"; readonly id: string; readonly revision: number };

/** One commit of an episode, among those in a group. */
function commitKey({ id, revision }: Pick<StoredEpisode, "id" | "revision">): string {
  return `${id} ${revision}`;
}

function sizeOf(write: EpisodeWrite): number {
  return write.kind === "remove" ? 0 : write.episode.data.length;
}

/** Names whose target is a process. A caller can make up many. */
const ownerPrefix = "owner of ";
const sweepEveryMs = 60_000;
const touchEveryMs = 3_600_000;
const abandonedAfterMs = 24 * 3_600_000;
