import type { Worker } from "node:worker_threads";
import type { FromWorker, Said, ToWorker } from "./messages.ts";
import { startWorker } from "../start-worker.ts";

/** Who works with a worker at the moment. */
export interface Listener {
  readonly action: number;
  heard(said: Said): void;
  /** The worker is gone. */
  lost(why: "memory" | "crash"): void;
}

/** One worker thread, which is thrown away when an action in it has to be stopped. */
export class WorkerHandle {
  readonly #worker: Worker;
  readonly #ready: Promise<void>;
  readonly #grounds = new Set<number>();
  /** Contexts whose machines it has, oldest first, and what memory they take. */
  readonly #here = new Map<number, number>();
  #listener: Listener | undefined;
  #isAlive = true;

  constructor() {
    this.#worker = startWorker("javascript", {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 },
      name: "javascript",
      stdin: false,
      stdout: true,
      stderr: true,
    });
    this.#worker.unref();
    this.#ready = new Promise((resolve, reject) => {
      this.#worker.on("message", (message: FromWorker) => {
        if (message.kind === "ready") resolve();
        else if (message.action === this.#listener?.action) this.#listener.heard(message);
      });
      this.#worker.on("error", (error: Error & { code?: string }) => {
        reject(error);
        this.#lose(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? "memory" : "crash");
      });
      this.#worker.on("exit", () => {
        reject(new Error("the worker stopped before it was ready"));
        this.#lose("crash");
      });
    });
    this.#ready.catch(() => undefined);
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  has(context: number): boolean {
    return this.#here.has(context);
  }

  /** Takes the worker for one action, once it is ready. */
  async take(listener: Listener): Promise<void> {
    this.#listener = listener;
    this.#worker.ref();
    await this.#ready;
  }

  release(): void {
    this.#listener = undefined;
    this.#worker.unref();
  }

  send(message: ToWorker): void {
    if (this.#isAlive) this.#worker.postMessage(message, []);
  }

  /** Gives the worker the tools of an action, if it has not got them yet. */
  lend(message: Extract<ToWorker, { kind: "ground" }>): void {
    if (this.#grounds.has(message.ground)) return;
    this.#grounds.add(message.ground);
    this.send(message);
  }

  /** The worker has a context's machine now; it lets go of those that were not used for longest. */
  keep(context: number, bytes: number): void {
    this.#here.delete(context);
    this.#here.set(context, bytes);
    let total = [...this.#here.values()].reduce((sum, each) => sum + each, 0);
    const gone: number[] = [];
    for (const [oldest, size] of this.#here) {
      if (this.#here.size <= mostMachines && total <= mostBytes) break;
      this.#here.delete(oldest);
      total -= size;
      gone.push(oldest);
    }
    if (gone.length > 0) this.send({ kind: "forget", contexts: gone });
  }

  /** The worker's machine of a context is no longer what the context is. */
  forget(context: number): void {
    if (this.#here.delete(context)) this.send({ kind: "forget", contexts: [context] });
  }

  /** The worker has let go of it by itself. */
  gone(context: number): void {
    this.#here.delete(context);
  }

  async terminate(): Promise<void> {
    this.#isAlive = false;
    this.#listener = undefined;
    await this.#worker.terminate();
  }

  #lose(why: "memory" | "crash"): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#listener?.lost(why);
  }
}

/** A machine takes about 1.5 MB; one that is not here is back in two milliseconds. */
const mostMachines = 64;
const mostBytes = 256 * 1024 * 1024;
