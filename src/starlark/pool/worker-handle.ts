import { MessageChannel, type MessagePort, type Worker } from "node:worker_threads";
import { StarlarkError } from "../errors.ts";
import type { HostSide } from "./host-side.ts";
import type { FromWorker, Job, WorkerSetup } from "./messages.ts";
import { startWorker } from "./start-worker.ts";

export interface JobEvents {
  readonly host: HostSide;
  readonly print: ((line: string) => void) | undefined;
  /** When it fires, the job fails with its reason and the worker is gone. */
  readonly signal: AbortSignal;
}

export type JobResult = Extract<FromWorker, { kind: "done" }>;

/** One worker thread, which runs one job at a time and is thrown away when a job has to be stopped. */
export class WorkerHandle {
  readonly #worker: Worker;
  readonly #replies: MessagePort;
  readonly #counter: Int32Array;
  #isAlive = true;

  constructor(heapMb: number) {
    const { port1, port2 } = new MessageChannel();
    const replyCount = new SharedArrayBuffer(4);
    this.#replies = port1;
    this.#counter = new Int32Array(replyCount);
    const setup: WorkerSetup = { replyCount, replies: port2 };
    this.#worker = startWorker({
      workerData: setup,
      transferList: [port2],
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
      name: "starlark",
    });
    port1.unref();
    this.#worker.unref();
    this.#worker.once("exit", () => {
      this.#isAlive = false;
    });
    // A job that is under way listens for itself; this keeps a crash between jobs from being uncaught.
    this.#worker.on("error", () => {
      this.#isAlive = false;
    });
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  run(job: Job, { host, print, signal }: JobEvents): Promise<JobResult> {
    const worker = this.#worker;
    return new Promise<JobResult>((resolve, reject) => {
      const finish = (settle: () => void): void => {
        worker.off("message", onMessage);
        worker.off("error", onError);
        worker.off("exit", onExit);
        signal.removeEventListener("abort", onAbort);
        worker.unref();
        settle();
      };
      const onMessage = (message: FromWorker): void => {
        if (message.kind === "print") print?.(message.line);
        else if (message.kind === "done") finish(() => resolve(message));
        else if (message.kind === "failed") finish(() => reject(host.toError(message.error)));
        else void this.#reply(message, host);
      };
      const onError = (error: Error): void => finish(() => reject(describeCrash(error)));
      const onExit = (): void => finish(() => reject(new StarlarkError("limit", "the worker stopped unexpectedly")));
      const onAbort = (): void => {
        this.#isAlive = false;
        finish(() => reject(signal.reason));
        void worker.terminate();
      };
      if (signal.aborted) return reject(signal.reason);
      worker.on("message", onMessage);
      worker.once("error", onError);
      worker.once("exit", onExit);
      signal.addEventListener("abort", onAbort, { once: true });
      worker.ref();
      worker.postMessage(job, []);
    });
  }

  async close(): Promise<void> {
    this.#isAlive = false;
    this.#replies.close();
    await this.#worker.terminate();
  }

  async #reply(question: Extract<FromWorker, { kind: "call" | "load" }>, host: HostSide): Promise<void> {
    const reply = await host.answer(question);
    if (!this.#isAlive) return;
    this.#replies.postMessage(reply, []);
    Atomics.add(this.#counter, 0, 1);
    Atomics.notify(this.#counter, 0);
  }
}

function describeCrash(error: Error & { code?: string }): StarlarkError {
  const isMemory = error.code === "ERR_WORKER_OUT_OF_MEMORY";
  return new StarlarkError("limit", isMemory ? "the worker ran out of memory" : `the worker failed: ${error.message}`, {
    cause: error,
  });
}
