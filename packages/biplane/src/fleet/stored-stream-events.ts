import type { StreamEvent, StreamEvents } from "@biplane/core/internal";
import { sql } from "kysely";
import { GroupWriter } from "../store/group-writer.ts";
import type { SqlStore } from "../store/sql-store.ts";
import { databaseTime } from "./processes.ts";

/** Messages of MCP event streams in the database. */
export class StoredStreamEvents implements StreamEvents {
  readonly #store: SqlStore;
  readonly #writer: GroupWriter<StreamEvent, void>;

  constructor(store: SqlStore) {
    this.#store = store;
    this.#writer = new GroupWriter((events) => this.#add(events));
  }

  add(event: StreamEvent): Promise<void> {
    return this.#writer.write(event);
  }

  async after({ session, stream, sequence }: Omit<StreamEvent, "message">): Promise<readonly StreamEvent[]> {
    return this.#store.db
      .selectFrom("stream_events")
      .select(["session", "stream", "sequence", "message"])
      .where("session", "=", session)
      .where("stream", "=", stream)
      .where("sequence", ">", sequence)
      .orderBy("sequence")
      .limit(maxEvents)
      .execute();
  }

  async clear(session: string): Promise<void> {
    await this.#store.db.deleteFrom("stream_events").where("session", "=", session).execute();
  }

  /** Deletes what nobody will ask for any more. */
  async deleteOld(): Promise<void> {
    await this.#store.db
      .deleteFrom("stream_events")
      .where("at", "<", sql<number>`${databaseTime} - ${keptMs}`)
      .execute();
  }

  async #add(events: readonly StreamEvent[]): Promise<readonly void[]> {
    await this.#store.db
      .insertInto("stream_events")
      .values(events.map((event) => ({ ...event, at: databaseTime })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return events.map(() => undefined);
  }
}

const maxEvents = 1000;
const keptMs = 600_000;
