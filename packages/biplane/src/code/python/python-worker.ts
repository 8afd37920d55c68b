import { MessageChannel, type MessagePort, type Worker } from "node:worker_threads";
import { BiplaneError } from "@biplane/core";
import type { GuestEnding, PythonWorkerMessage, SavedState, PythonWorkerRequest, WorkerSetup } from "./messages.ts";
import { startWorker } from "../../start-worker.ts";
import { ThreadTime } from "../thread-time.ts";
import { TimeLimit } from "../time-limit.ts";

export interface GuestRequest {
  /** CPU limit of the guest, without waiting for answers. Exceeding it terminates the worker. */
  readonly cpuMs: number;
  readonly signal: AbortSignal | undefined;
  /** Answers a request of the guest. Undefined stops the guest. Never rejects. */
  readonly answer: (text: string) => string | undefined | Promise<string | undefined>;
}

/** How a message to the guest ended. Only `ended` leaves the worker alive. */
export type GuestOutcome =
  | { readonly kind: "ended"; readonly ending: GuestEnding }
  | { readonly kind: "slow" }
  | { readonly kind: "aborted" }
  | { readonly kind: "spent" }
  /** A worker only fails when code exhausts its resources. */
  | { readonly kind: "crashed" };

/** One worker thread. It is terminated when its guest has to be stopped. */
export class PythonWorker {
  readonly #worker: Worker;
  readonly #answers: MessagePort;
  readonly #counter: Int32Array;
  #time = new ThreadTime(undefined);
  #isAlive = true;
  #tasks = 0;
  #saved: Promise<SavedState | undefined> = Promise.resolve(undefined);

  constructor() {
    const { port1, port2 } = new MessageChannel();
    const answerCount = new SharedArrayBuffer(4);
    this.#answers = port1;
    this.#counter = new Int32Array(answerCount);
    const setup: WorkerSetup = { answers: port2, answerCount };
    this.#worker = startWorker(entry, {
      workerData: setup,
      transferList: [port2],
      env: {},
      stdin: false,
      resourceLimits: { maxOldGenerationSizeMb: 256, stackSizeMb: 64 },
      name: "python",
    });
    port1.unref();
    this.#worker.unref();
    this.#worker.setMaxListeners(0);
    this.#worker.on("message", (message: PythonWorkerMessage) => {
      if (message.kind !== "started") return;
      this.#time.close();
      this.#time = new ThreadTime(message.thread);
    });
    this.#worker.once("exit", () => {
      this.#time.close();
      this.#forget();
    });
    // Running requests listen for themselves. This prevents an uncaught error in between.
    this.#worker.on("error", () => this.#forget());
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** The state saved after the last message, once the worker is ready again. Undefined if there is none. */
  savedState(): Promise<SavedState | undefined> {
    return this.#busy(() => this.#saved);
  }

  /** Sends a request that runs no guest code, and waits for its reply. */
  ask<K extends PythonWorkerMessage["kind"]>(
    message: PythonWorkerRequest,
    kind: K,
  ): Promise<Extract<PythonWorkerMessage, { kind: K }>> {
    return this.#busy(async () => {
      const waiting = this.#next((reply) => reply.kind === kind || reply.kind === "failed");
      this.#worker.postMessage(message, []);
      const reply = await waiting;
      if (reply?.kind === kind) return reply as Extract<PythonWorkerMessage, { kind: K }>;
      const cause = reply?.kind === "failed" ? reply.message : "its worker ended.";
      throw new BiplaneError("INTERNAL", `Python did not start: ${cause}`);
    });
  }

  /** Runs the guest with one message, within its limits. */
  send(message: PythonWorkerRequest, request: GuestRequest): Promise<GuestOutcome> {
    return this.#busy(async () => {
      await this.#saved;
      return this.#run(message, request);
    });
  }

  async close(): Promise<void> {
    this.#forget();
    await this.#worker.terminate();
  }

  #run(message: PythonWorkerRequest, { cpuMs, signal, answer }: GuestRequest): Promise<GuestOutcome> {
    const worker = this.#worker;
    return new Promise<GuestOutcome>((resolve) => {
      let limit: TimeLimit | undefined;
      /** `usedMs` is what the guest has used already. It uses nothing while it waits for an answer. */
      const watch = (usedMs: number) => {
        const onExceeded = () => finish({ kind: "slow" });
        limit = new TimeLimit({ ms: cpuMs - usedMs, used: this.#time.awake, onExceeded }); // It may sleep.
      };
      let isOver = false;
      const finish = (end: GuestOutcome): void => {
        isOver = true;
        limit?.stop();
        stopListening();
        signal?.removeEventListener("abort", onAbort);
        if (end.kind !== "ended") void this.close();
        resolve(end);
      };
      const reply = async (text: string, guestMs: number): Promise<void> => {
        const answered = await answer(text);
        if (isOver) return;
        if (answered === undefined) return finish({ kind: "spent" });
        watch(guestMs);
        this.#answers.postMessage(answered, []);
        Atomics.add(this.#counter, 0, 1);
        Atomics.notify(this.#counter, 0);
      };
      const onMessage = (received: PythonWorkerMessage): void => {
        if (received.kind === "asked") {
          limit?.stop();
          void reply(received.text, received.guestMs);
        } else if (received.kind === "done") {
          const rested = this.#next(({ kind }) => kind === "rested");
          this.#saved = rested.then((last) => (last?.kind === "rested" ? last.saved : undefined));
          finish({ kind: "ended", ending: received.ending });
        } else if (received.kind === "failed") finish({ kind: "crashed" });
      };
      const onAbort = (): void => finish({ kind: "aborted" });
      if (!this.#isAlive) return resolve({ kind: "crashed" });
      if (signal?.aborted) return resolve({ kind: "aborted" });
      const stopListening = this.#listen(onMessage, () => finish({ kind: "crashed" }));
      signal?.addEventListener("abort", onAbort, { once: true });
      watch(0);
      worker.postMessage(message, []);
    });
  }

  /** Keeps the process alive only while the worker has work. */
  async #busy<T>(work: () => Promise<T>): Promise<T> {
    if (this.#tasks++ === 0) this.#worker.ref();
    try {
      return await work();
    } finally {
      if (--this.#tasks === 0) this.#worker.unref();
    }
  }

  /** The next matching message. Undefined if the worker ends first. */
  #next(isWanted: (message: PythonWorkerMessage) => boolean): Promise<PythonWorkerMessage | undefined> {
    if (!this.#isAlive) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const finish = (message?: PythonWorkerMessage): void => {
        stopListening();
        resolve(message);
      };
      const onMessage = (message: PythonWorkerMessage): void => void (isWanted(message) && finish(message));
      const stopListening = this.#listen(onMessage, () => finish());
    });
  }

  /** Returns a function that stops listening. */
  #listen(onMessage: (message: PythonWorkerMessage) => void, onEnd: () => void): () => void {
    const worker = this.#worker;
    worker.on("message", onMessage).once("exit", onEnd).once("error", onEnd);
    return () => void worker.off("message", onMessage).off("exit", onEnd).off("error", onEnd);
  }

  #forget(): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#answers.close();
  }
}

const entry = { name: "python", source: new URL("./worker.ts", import.meta.url) } as const;
