import { mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { sqliteLogs } from "./log.ts";
import type { Store, StoredRecord } from "./store.ts";

/** A store in one SQLite file, or `:memory:`. Several processes may open the same file. */
export function sqliteStore(file: string): Store {
  if (file !== ":memory:") mkdirSync(dirname(resolve(file)), { recursive: true });
  const database = new DatabaseSync(file);
  database.exec("pragma busy_timeout = 5000; pragma synchronous = full");
  useWriteAheadLog(database);
  database.exec(
    "create table if not exists records (collection text, key text, json text not null, primary key (collection, key)) without rowid, strict",
  );
  const select = database.prepare("select json from records where collection = ? and key = ?");
  const upsert = database.prepare(
    "insert into records values (?, ?, ?) on conflict do update set json = excluded.json",
  );
  const remove = database.prepare("delete from records where collection = ? and key = ?");
  const page = database.prepare("select key, json from records where collection = ? and key > ? order by key limit ?");
  return {
    ...sqliteLogs(database),
    async get(collection, key) {
      const row = select.get(collection, key) as { json: string } | undefined;
      return row && parse(row.json);
    },
    async put(collection, key, record) {
      upsert.run(collection, key, JSON.stringify(record));
    },
    async delete(collection, key) {
      return remove.run(collection, key).changes > 0;
    },
    async change(collection, key, change) {
      database.exec("begin immediate");
      try {
        const row = select.get(collection, key) as { json: string } | undefined;
        const before = row && parse(row.json);
        const after = change(before);
        if (after !== undefined && after !== before) upsert.run(collection, key, JSON.stringify(after));
        database.exec("commit");
        return after ?? before;
      } catch (error) {
        if (database.isTransaction) database.exec("rollback");
        throw error;
      }
    },
    async list(collection, { after = "", limit = 1000 } = {}) {
      const rows = page.all(collection, after, limit) as { key: string; json: string }[];
      return rows.map(({ key, json }) => [key, parse(json)] as const);
    },
    async close() {
      if (database.isOpen) database.close();
    },
    async [Symbol.asyncDispose]() {
      await this.close();
    },
  };
}

/** Making a new file's write-ahead log does not wait for others who are making it too, so this does. */
function useWriteAheadLog(database: InstanceType<typeof DatabaseSync>): void {
  for (let attempt = 1; ; attempt++) {
    try {
      database.exec("pragma journal_mode = wal");
      return;
    } catch (error) {
      if (attempt === 100) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

function parse(json: string): StoredRecord {
  return JSON.parse(json) as StoredRecord;
}
