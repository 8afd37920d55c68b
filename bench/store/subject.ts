import { readFileSync } from "node:fs";
import { DatabaseSync } from "@photostructure/sqlite";
import { sql } from "kysely";
import { openStore } from "biplane/store";
import type { SqlStore } from "biplane/store";

/** What is measured: a store of ours, or SQLite's own prepared statements. */
export interface StoreSubject {
  readonly name: "sqlite" | "postgres";
  readonly store: SqlStore;
  /** CPU milliseconds of this process and of the database. */
  cpuMs(): number;
}

export async function openSubject(name: StoreSubject["name"], location: string): Promise<StoreSubject> {
  const store = await openStore(location);
  const backend = name === "postgres" ? await backendPid(store) : undefined;
  return {
    name,
    store,
    cpuMs() {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1000 + (backend === undefined ? 0 : cpuOf(backend));
    },
  };
}

/** The same statements that a program would write without us: one table, one row, one commit. */
export function openPeer(file: string): Peer {
  const database = new DatabaseSync(file);
  database.exec("pragma journal_mode = wal; pragma synchronous = full");
  database.exec("create table rows (id text not null primary key, json text not null) without rowid");
  const insert = database.prepare("insert or replace into rows values (?, ?)");
  const read = database.prepare("select json from rows where id = ?");
  return {
    write: (id, json) => void insert.run(id, json),
    writeAll(rows) {
      database.exec("begin immediate");
      for (const [id, json] of rows) insert.run(id, json);
      database.exec("commit");
    },
    read: (id) => read.get(id),
    close: () => database.close(),
  };
}

export interface Peer {
  write(id: string, json: string): void;
  writeAll(rows: readonly (readonly [id: string, json: string])[]): void;
  read(id: string): unknown;
  close(): void;
}

/** The store uses one connection as long as it has one query at a time. */
async function backendPid({ db }: SqlStore): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
  return rows[0]?.pid ?? 0;
}

function cpuOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
}
