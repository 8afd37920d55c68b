import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { BiplaneError } from "@biplane/core";
import type { ErrorCode } from "@biplane/core";
import { startWorker } from "../../start-worker.ts";
import type { WorkerEntry } from "../../start-worker.ts";
import type { SqliteResult } from "./sqlite-database.ts";

/** A statement with its parameters. */
export type SqliteRequest = readonly [sql: string, parameters: readonly unknown[]] | "close";
export type SqliteReply = SqliteResult | SqliteFault;

/** What a thread says about an error: one of ours, or of SQLite or the system. */
interface SqliteFault {
  readonly fault: string;
  readonly code: string | undefined;
  /** The file or folder that the system refused. */
  readonly path: string | undefined;
  readonly isOurs: boolean;
}

/** A connection to a SQLite file in a thread of its own, so that no other work waits for the disk. */
export class SqliteThread {
  readonly #file: string;
  readonly #worker: Worker;
  /** In the order of the requests. */
  readonly #waiting: Waiting[] = [];
  #hasEnded = false;

  private constructor(file: string) {
    this.#file = file;
    this.#worker = startWorker(entry, { workerData: file, stdout: true, stderr: true, env: {} });
    this.#worker.on("message", (reply: SqliteReply) => this.#settle(reply));
    this.#worker.on("error", (error) => this.#end(error));
    this.#worker.on("exit", () => this.#end());
    this.#worker.unref();
  }

  static async open(file: string): Promise<SqliteThread> {
    const thread = new SqliteThread(file);
    try {
      await thread.#reply();
      return thread;
    } catch (error) {
      await thread.#worker.terminate();
      throw error;
    }
  }

  /** After this, everything fails. What was written is kept. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  run(sql: string, parameters: readonly unknown[]): Promise<SqliteResult> {
    if (this.#hasEnded) return Promise.reject(this.#endError());
    this.#worker.postMessage([sql, parameters] satisfies SqliteRequest, []);
    return this.#reply();
  }

  async close(): Promise<void> {
    if (this.#hasEnded) return;
    this.#worker.ref();
    const ended = once(this.#worker, "exit");
    this.#worker.postMessage("close" satisfies SqliteRequest, []);
    await ended;
  }

  /** Only a request that waits keeps the process alive. */
  #reply(): Promise<SqliteResult> {
    if (this.#waiting.length === 0) this.#worker.ref();
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  #settle(reply: SqliteReply): void {
    const { resolve, reject } = this.#waiting.shift() as Waiting;
    if (this.#waiting.length === 0) this.#worker.unref();
    if (!("fault" in reply)) resolve(reply);
    else reject(errorOf(reply));
  }

  #end(cause?: unknown): void {
    this.#hasEnded = true;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#endError(cause));
  }

  #endError(cause?: unknown): BiplaneError {
    return new BiplaneError("INTERNAL", `The store ${this.#file} has lost its thread. Try again.`, { cause });
  }
}

function errorOf({ fault, code, path, isOurs }: SqliteFault): Error {
  return isOurs ? new BiplaneError(code as ErrorCode, fault) : Object.assign(new Error(fault), { code, path });
}

interface Waiting {
  readonly resolve: (result: SqliteResult) => void;
  readonly reject: (error: Error) => void;
}

const entry: WorkerEntry = { name: "sqlite", source: new URL("./sqlite-worker.ts", import.meta.url) };
