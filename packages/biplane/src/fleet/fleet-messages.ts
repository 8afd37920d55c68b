import type { FleetMessage } from "@biplane/core/internal";
import { sql } from "kysely";
import type { SqlStore } from "../store/sql-store.ts";
import { databaseTime } from "./processes.ts";

/**
 * What processes tell each other, as rows that each of them reads. `NOTIFY` would need a connection of its own, which
 * poolers do not give, and takes a lock of the whole database at each commit. Reading the end of an index is cheap.
 */
export class FleetMessages {
  readonly #store: SqlStore;
  /** Messages up to this id are old: no transaction will add another one before them. */
  #readTo: number | undefined;
  readonly #seen = new Set<number>();

  constructor(store: SqlStore) {
    this.#store = store;
  }

  async send(
    sender: string,
    { topic, data, to = null }: Omit<FleetMessage, "to"> & { to?: string | null },
  ): Promise<void> {
    const row = { at: databaseTime, sender, recipient: to, topic, data: JSON.stringify(data) };
    await this.#store.db.insertInto("messages").values(row).execute();
  }

  /** The messages for a process that it has not read. The first time, only where the next ones begin. */
  async read(recipient: string): Promise<readonly Message[]> {
    const { db } = this.#store;
    if (this.#readTo === undefined) {
      const last = await db
        .selectFrom("messages")
        .select(({ fn }) => fn.max("id").as("id"))
        .executeTakeFirst();
      this.#readTo = last?.id ?? 0;
      return [];
    }
    const rows = await db
      .selectFrom("messages")
      .select([
        "id",
        sql<number>`length(data)`.as("length"),
        sql<boolean>`at < ${databaseTime} - ${settledAfterMs}`.as("isOld"),
      ])
      .where("id", ">", this.#readTo)
      .where("sender", "!=", recipient)
      .where((where) => where.or([where("recipient", "is", null), where("recipient", "=", recipient)]))
      .orderBy("id")
      .limit(this.#seen.size + maxMessages)
      .execute();
    // What was read before is not read again, whatever its size. What is too long for one time is read the next time.
    const fresh: number[] = [];
    let length = 0;
    let readTo = this.#readTo;
    for (const row of rows) {
      const isSeen = this.#seen.has(row.id);
      if (!isSeen && fresh.length > 0 && length + row.length > maxReadLength) break;
      if (!isSeen) {
        fresh.push(row.id);
        length += row.length;
      }
      if (row.isOld) readTo = row.id;
    }
    // If this fails, they are read the next time.
    const messages = fresh.length > 0 ? await this.#readAll(fresh) : [];
    this.#readTo = readTo;
    for (const id of fresh) this.#seen.add(id);
    for (const id of this.#seen) if (id <= readTo) this.#seen.delete(id);
    return messages;
  }

  async #readAll(ids: readonly number[]): Promise<readonly Message[]> {
    const rows = await this.#store.db
      .selectFrom("messages")
      .select(["topic", "data"])
      .where("id", "in", ids)
      .orderBy("id")
      .execute();
    return rows.map(({ topic, data }) => ({ topic, data: JSON.parse(data) as unknown }));
  }

  /** Deletes what every process has read. */
  async deleteOld(): Promise<void> {
    await this.#store.db
      .deleteFrom("messages")
      .where("at", "<", sql<number>`${databaseTime} - ${keptMs}`)
      .execute();
  }
}

export interface Message {
  readonly topic: string;
  readonly data: unknown;
}

/** No transaction that writes a message takes longer, so no smaller id can appear. */
const settledAfterMs = 5000;
const keptMs = 60_000;
const maxMessages = 1000;
/** In characters. All of them are parsed at once. */
const maxReadLength = 2 ** 20;
