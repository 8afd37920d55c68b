import type { Worker } from "node:worker_threads";
import type { JavascriptWorkerMessage, ActionEvent, JavascriptWorkerRequest } from "./messages.ts";
import { startWorker } from "../../start-worker.ts";
import { ThreadTime } from "../thread-time.ts";

/** Receives the events of the action that a worker runs. */
export interface ActionListener {
  readonly action: number;
  onEvent(said: ActionEvent): void;
  /** Called when the worker has died. */
  onLost(cause: "memory" | "crash"): void;
}

/** One worker thread. It is terminated when its action has to be stopped while it computes. */
export class JavascriptWorker {
  readonly #worker: Worker;
  readonly #ready: Promise<void>;
  readonly #sentBindings = new Set<number>();
  /** Contexts whose machines the worker holds, least recently used first, with their memory in bytes. */
  readonly #machines = new Map<number, number>();
  /** The time that the worker uses. */
  time = new ThreadTime(undefined);
  #listener: ActionListener | undefined;
  #isAlive = true;

  constructor() {
    this.#worker = startWorker(entry, {
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 },
      name: "javascript",
      stdin: false,
      stdout: true,
      stderr: true,
    });
    this.#worker.unref();
    this.#ready = new Promise((resolve, reject) => {
      this.#worker.on("message", (message: JavascriptWorkerMessage) => {
        if (message.kind === "ready") {
          this.time = new ThreadTime(message.thread);
          resolve();
        } else if (message.action === this.#listener?.action) this.#listener.onEvent(message);
      });
      this.#worker.on("error", (error: Error & { code?: string }) => {
        reject(error);
        this.#lose(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? "memory" : "crash");
      });
      this.#worker.on("exit", () => {
        this.time.close();
        reject(new Error("The worker stopped before it was ready."));
        this.#lose("crash");
      });
    });
    this.#ready.catch(() => undefined);
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  has(context: number): boolean {
    return this.#machines.has(context);
  }

  /** Reserves the worker for one action and waits until it is ready. */
  async acquire(listener: ActionListener): Promise<void> {
    this.#listener = listener;
    this.#worker.ref();
    await this.#ready;
  }

  release(): void {
    this.#listener = undefined;
    this.#worker.unref();
  }

  send(message: JavascriptWorkerRequest): void {
    if (this.#isAlive) this.#worker.postMessage(message, []);
  }

  /** Sends the tool bindings of an action, unless the worker has them already. */
  sendBindings(message: Extract<JavascriptWorkerRequest, { kind: "bindings" }>): void {
    if (this.#sentBindings.has(message.id)) return;
    this.#sentBindings.add(message.id);
    this.send(message);
  }

  /** Records that the worker holds a context's machine. Drops the least recently used ones above the limits. */
  markKept(context: number, bytes: number): void {
    this.#machines.delete(context);
    this.#machines.set(context, bytes);
    let total = [...this.#machines.values()].reduce((sum, each) => sum + each, 0);
    const gone: number[] = [];
    for (const [oldest, size] of this.#machines) {
      if (this.#machines.size <= maxMachines && total <= maxBytes) break;
      this.#machines.delete(oldest);
      total -= size;
      gone.push(oldest);
    }
    if (gone.length > 0) this.send({ kind: "forget", contexts: gone });
  }

  /** Drops the worker's machine of a context, because it is out of date. */
  forget(context: number): void {
    if (this.#machines.delete(context)) this.send({ kind: "forget", contexts: [context] });
  }

  /** Records that the worker has dropped the machine itself. */
  markDropped(context: number): void {
    this.#machines.delete(context);
  }

  async terminate(): Promise<void> {
    this.#isAlive = false;
    this.#listener = undefined;
    await this.#worker.terminate();
  }

  #lose(cause: "memory" | "crash"): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#listener?.onLost(cause);
  }
}

const entry = { name: "javascript", source: new URL("./worker.ts", import.meta.url) } as const;

/** A machine takes about 1.5 MB. Restoring one takes two milliseconds. */
const maxMachines = 64;
const maxBytes = 128 * 1024 * 1024;
