import { parentPort, workerData } from "node:worker_threads";
import { BiplaneError } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";
import { SqliteDatabase } from "./sqlite-database.ts";
import type { SqliteReply, SqliteRequest } from "./sqlite-thread.ts";

/** Worker entry. Answers each request in the order of their arrival. The first answer says whether the file opened. */
let database: SqliteDatabase;

answer(() => {
  database = new SqliteDatabase(String(workerData));
  return { rows: [], changes: 0 };
});
parentPort?.on("message", (request: SqliteRequest) => {
  if (request === "close") {
    database.close();
    parentPort?.close();
  } else answer(() => database.run(...request));
});

function answer(work: () => SqliteReply): void {
  parentPort?.postMessage(attempt(work), []);
}

function attempt(work: () => SqliteReply): SqliteReply {
  try {
    return work();
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    return { fault: messageOf(error), code, path, isOurs: error instanceof BiplaneError };
  }
}
