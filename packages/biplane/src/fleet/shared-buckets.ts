import type { Rate } from "@biplane/core/internal";
import { sql } from "kysely";
import { GroupWriter } from "../store/group-writer.ts";
import type { SqlStore } from "../store/sql-store.ts";

/**
 * Token buckets that all processes share. No process takes tokens in advance, so all of them together never exceed a
 * limit. Calls that arrive while a request is under way share the next one.
 */
export class SharedBuckets {
  readonly #store: SqlStore;
  readonly #writer: GroupWriter<Wanted, number>;
  /** Until when a bucket is known to be empty, by the local clock: a flood of refused calls does not reach the database. */
  readonly #emptyUntil = new Map<string, number>();
  #sweptAt = 0;

  constructor(store: SqlStore) {
    this.#store = store;
    this.#writer = new GroupWriter((wanted) => this.#take(wanted));
  }

  /** Takes a token. Returns 0, or the milliseconds until one is available. */
  take(key: string, rate: Rate): number | Promise<number> {
    const waitMs = (this.#emptyUntil.get(key) ?? 0) - performance.now();
    return waitMs > 0 ? Math.ceil(waitMs) : this.#writer.write({ key, rate });
  }

  async #take(wanted: readonly Wanted[]): Promise<readonly number[]> {
    const counts = new Map<string, { readonly rate: Rate; count: number }>();
    for (const { key, rate } of wanted) {
      const same = counts.get(key);
      if (same) same.count++;
      else counts.set(key, { rate, count: 1 });
    }
    // In one order, so that two processes do not wait for each other.
    const asked = [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
    const { rows } = await sql<{ key: string; granted: number; tokens: number }>`
      insert into ${sql.table("biplane.rate_buckets")} as bucket (key, tokens, granted, wanted, per_second, burst, at)
      select key, burst - least(wanted, floor(burst)), least(wanted, floor(burst)), wanted, per_second, burst, ${now}
      from unnest(
        ${asked.map(([key]) => key)}::text[],
        ${asked.map(([, { count }]) => count)}::float8[],
        ${asked.map(([, { rate }]) => rate.perSecond)}::float8[],
        ${asked.map(([, { rate }]) => rate.burst)}::float8[]
      ) as asked (key, wanted, per_second, burst)
      on conflict (key) do update set
        granted = least(excluded.wanted, floor(${refilled})),
        tokens = ${refilled} - least(excluded.wanted, floor(${refilled})),
        wanted = excluded.wanted, per_second = excluded.per_second, burst = excluded.burst,
        at = greatest(bucket.at, excluded.at)
      returning key, granted, tokens`.execute(this.#store.db);
    const given = new Map(rows.map(({ key, granted, tokens }) => [key, { left: granted, tokens }]));
    if (performance.now() - this.#sweptAt > sweepEveryMs) this.#sweep();
    return wanted.map(({ key, rate }) => {
      const bucket = given.get(key);
      if (bucket && bucket.left >= 1) {
        bucket.left--;
        return 0;
      }
      const waitMs = rate.perSecond > 0 ? Math.ceil(((1 - (bucket?.tokens ?? 0)) / rate.perSecond) * 1000) : Infinity;
      this.#emptyUntil.set(key, performance.now() + Math.min(waitMs, 1000));
      return Math.max(1, waitMs);
    });
  }

  /** Forgets what is over, here and in the database: a full bucket equals a new one. */
  #sweep(): void {
    const at = performance.now();
    this.#sweptAt = at;
    for (const [key, until] of this.#emptyUntil) if (until <= at) this.#emptyUntil.delete(key);
    sql`delete from ${sql.table("biplane.rate_buckets")} as bucket
      where tokens + greatest(0, ${now} - at) / 1000 * per_second >= burst and at < ${now} - 60000`
      .execute(this.#store.db)
      .catch(() => undefined); // The next sweep deletes them.
  }
}

interface Wanted {
  readonly key: string;
  readonly rate: Rate;
}

const now = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::float8`;
/** What a bucket holds now. The row is locked, so its time never runs backwards. */
const refilled = sql<number>`least(excluded.burst,
  bucket.tokens + greatest(0, excluded.at - bucket.at) / 1000 * excluded.per_second)`;
const sweepEveryMs = 60_000;
