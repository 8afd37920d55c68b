import { MessageChannel, type MessagePort, type Worker } from "node:worker_threads";
import { BiplaneError } from "../../errors.ts";
import { GuestWatch } from "./guest-watch.ts";
import type { Ending, FromWorker, SavedState, ToWorker, WorkerSetup } from "./messages.ts";
import { startWorker } from "../start-worker.ts";

export interface Errand {
  /** Time in the guest, waiting for answers not counted, after which the worker is ended. */
  readonly cpuMs: number;
  readonly signal: AbortSignal | undefined;
  /** Answers what the guest asks, or gives undefined to end it. Never rejects. */
  readonly answer: (text: string) => string | undefined | Promise<string | undefined>;
}

/** What a message to the guest came to. All but the first leave no worker behind. */
export type ErrandEnd =
  | { readonly kind: "ended"; readonly ending: Ending }
  | { readonly kind: "slow" }
  | { readonly kind: "aborted" }
  | { readonly kind: "spent" }
  /** Only what code needs too much of makes a worker fail. */
  | { readonly kind: "crashed" };

/** One worker thread. It is thrown away when its guest has to be stopped. */
export class WorkerHandle {
  readonly #worker: Worker;
  readonly #answers: MessagePort;
  readonly #counter: Int32Array;
  #isAlive = true;
  #tasks = 0;
  #rest: Promise<SavedState | undefined> = Promise.resolve(undefined);

  constructor() {
    const { port1, port2 } = new MessageChannel();
    const answerCount = new SharedArrayBuffer(4);
    this.#answers = port1;
    this.#counter = new Int32Array(answerCount);
    const setup: WorkerSetup = { answers: port2, answerCount };
    this.#worker = startWorker("python", {
      workerData: setup,
      transferList: [port2],
      env: {},
      execArgv: [],
      stdin: false,
      resourceLimits: { maxOldGenerationSizeMb: 256, stackSizeMb: 64 },
      name: "python",
    });
    port1.unref();
    this.#worker.unref();
    this.#worker.setMaxListeners(0);
    this.#worker.once("exit", () => this.#forget());
    // What is under way listens for itself; this keeps a crash in between from being uncaught.
    this.#worker.on("error", () => this.#forget());
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** What was saved after the last message, once the worker can take another. Undefined: nothing, or it is gone. */
  rest(): Promise<SavedState | undefined> {
    return this.#busy(() => this.#rest);
  }

  /** Asks for something that is no guest's doing. */
  ask<K extends FromWorker["kind"]>(message: ToWorker, kind: K): Promise<Extract<FromWorker, { kind: K }>> {
    return this.#busy(async () => {
      const waiting = this.#next((reply) => reply.kind === kind || reply.kind === "failed");
      this.#worker.postMessage(message, []);
      const reply = await waiting;
      if (reply?.kind === kind) return reply as Extract<FromWorker, { kind: K }>;
      const why = reply?.kind === "failed" ? reply.message : "its worker ended";
      throw new BiplaneError("INTERNAL", `Python did not start: ${why}`);
    });
  }

  /** Lets the guest take a message, within its limits. */
  send(message: ToWorker, errand: Errand): Promise<ErrandEnd> {
    return this.#busy(async () => {
      await this.#rest;
      return this.#run(message, errand);
    });
  }

  async close(): Promise<void> {
    this.#forget();
    await this.#worker.terminate();
  }

  #run(message: ToWorker, { cpuMs, signal, answer }: Errand): Promise<ErrandEnd> {
    const worker = this.#worker;
    return new Promise<ErrandEnd>((resolve) => {
      const watch = new GuestWatch(cpuMs, () => finish({ kind: "slow" }));
      let isOver = false;
      const finish = (end: ErrandEnd): void => {
        isOver = true;
        watch.stop();
        worker.off("message", onMessage);
        worker.off("error", onError);
        worker.off("exit", onExit);
        signal?.removeEventListener("abort", onAbort);
        if (end.kind !== "ended") void this.close();
        resolve(end);
      };
      const reply = async (text: string, guestMs: number): Promise<void> => {
        const answered = await answer(text);
        if (isOver) return;
        if (answered === undefined) return finish({ kind: "spent" });
        watch.run(guestMs);
        this.#answers.postMessage(answered, []);
        Atomics.add(this.#counter, 0, 1);
        Atomics.notify(this.#counter, 0);
      };
      const onMessage = (heard: FromWorker): void => {
        if (heard.kind === "asked") {
          watch.stop();
          void reply(heard.text, heard.guestMs);
        } else if (heard.kind === "done") {
          this.#rest = this.#next(({ kind }) => kind === "rested").then(savedIn);
          finish({ kind: "ended", ending: heard.ending });
        } else if (heard.kind === "failed") finish({ kind: "crashed" });
      };
      const onError = (): void => finish({ kind: "crashed" });
      const onExit = (): void => finish({ kind: "crashed" });
      const onAbort = (): void => finish({ kind: "aborted" });
      if (!this.#isAlive) return resolve({ kind: "crashed" });
      if (signal?.aborted) return resolve({ kind: "aborted" });
      worker.on("message", onMessage);
      worker.once("error", onError);
      worker.once("exit", onExit);
      signal?.addEventListener("abort", onAbort, { once: true });
      watch.run(0);
      worker.postMessage(message, []);
    });
  }

  /** A worker keeps the process alive only while it has something to do. */
  async #busy<T>(work: () => Promise<T>): Promise<T> {
    if (this.#tasks++ === 0) this.#worker.ref();
    try {
      return await work();
    } finally {
      if (--this.#tasks === 0) this.#worker.unref();
    }
  }

  /** The next message of a kind, or undefined when the worker ends before. */
  #next(isWanted: (message: FromWorker) => boolean): Promise<FromWorker | undefined> {
    const worker = this.#worker;
    if (!this.#isAlive) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const finish = (message?: FromWorker): void => {
        worker.off("message", onMessage);
        worker.off("exit", onEnd);
        worker.off("error", onEnd);
        resolve(message);
      };
      const onMessage = (message: FromWorker): void => void (isWanted(message) && finish(message));
      const onEnd = (): void => finish();
      worker.on("message", onMessage);
      worker.once("exit", onEnd);
      worker.once("error", onEnd);
    });
  }

  #forget(): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#answers.close();
  }
}

function savedIn(message: FromWorker | undefined): SavedState | undefined {
  return message?.kind === "rested" ? message.saved : undefined;
}
