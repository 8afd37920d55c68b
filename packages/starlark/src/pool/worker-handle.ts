import { MessageChannel, type MessagePort, type Worker } from "node:worker_threads";
import { StarlarkError } from "../errors.ts";
import { ComputeWatch } from "./compute-watch.ts";
import type { JobHost } from "./evaluation-host.ts";
import type { FromWorker, Job, Reply, WireError, WorkerQuestion, WorkerSetup } from "./messages.ts";
import { startWorker } from "./start-worker.ts";

export interface JobEvents {
  readonly host: JobHost;
  readonly print: ((text: string) => void) | undefined;
  /** Time that the worker may compute, without the time it waits for the host. */
  readonly computeMs?: number | undefined;
  /** Aborting rejects the job with the reason and terminates the worker. */
  readonly signal: AbortSignal;
}

/** The message that ends a job, by the kind of the job. */
export interface JobResults {
  readonly run: Extract<FromWorker, { kind: "done" }>;
  readonly evaluate: Extract<FromWorker, { kind: "evaluated" }>;
  readonly check: Extract<FromWorker, { kind: "checked" }>;
}

/** One worker thread. It runs one job at a time and is terminated if a job must be stopped. */
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
    // A running job has its own listener. This one catches crashes between jobs.
    this.#worker.on("error", () => {
      this.#isAlive = false;
    });
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  run<Kind extends Job["kind"]>(
    job: Extract<Job, { kind: Kind }>,
    { host, print, computeMs = Infinity, signal }: JobEvents,
  ): Promise<JobResults[Kind]> {
    const worker = this.#worker;
    return new Promise((resolve, reject) => {
      const watch = new ComputeWatch(computeMs, () => {
        stop(new StarlarkError("limit", `Starlark computation cancelled: it computed for more than ${computeMs} ms`));
      });
      /** Errors of the host stay here. The worker refers to them by number. */
      const errors: unknown[] = [];
      const answer = async (question: WorkerQuestion): Promise<void> => {
        const reply = await host.answer(question).catch((error: unknown): Reply => {
          const errorIndex = errors.push(error) - 1;
          if (error instanceof StarlarkError)
            return { kind: "error", reason: error.reason, code: error.code, errorIndex };
          const name = host.nameOf(question);
          const reason = `${name === undefined ? "" : `${name}: `}${messageOf(error)}`;
          return { kind: "error", reason, code: "host", errorIndex };
        });
        if (!this.#isAlive) return;
        watch.run();
        this.#reply(reply);
      };
      const finish = (settle: () => void): void => {
        watch.stop();
        worker.off("message", onMessage);
        worker.off("error", onError);
        worker.off("exit", onExit);
        signal.removeEventListener("abort", onAbort);
        worker.unref();
        settle();
      };
      const onMessage = (message: FromWorker): void => {
        switch (message.kind) {
          case "begun":
            return watch.run();
          case "print":
            return print?.(message.text);
          case "failed":
            return finish(() => reject(toError(message.error, errors)));
          case "done":
          case "evaluated":
          case "checked":
            return finish(() => resolve(message as JobResults[Kind]));
          default:
            watch.pause();
            void answer(message);
        }
      };
      const onError = (error: Error): void => finish(() => reject(describeCrash(error)));
      const onExit = (): void => finish(() => reject(new StarlarkError("limit", "the worker stopped unexpectedly")));
      const stop = (reason: unknown): void => {
        this.#isAlive = false;
        finish(() => reject(reason));
        void worker.terminate();
      };
      const onAbort = (): void => stop(signal.reason);
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

  #reply(reply: Reply): void {
    try {
      this.#replies.postMessage(reply, []);
    } catch (error) {
      const reason = `the result cannot be sent to a worker: ${messageOf(error)}`;
      this.#replies.postMessage({ kind: "error", reason, code: "conversion", errorIndex: -1 } satisfies Reply, []);
    }
    Atomics.add(this.#counter, 0, 1);
    Atomics.notify(this.#counter, 0);
  }
}

function toError({ code, reason, details, errorIndex }: WireError, errors: readonly unknown[]): StarlarkError {
  const cause = errorIndex === undefined ? undefined : errors[errorIndex];
  return new StarlarkError(code, reason, { ...details, cause });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function describeCrash(error: Error & { code?: string }): StarlarkError {
  const isMemory = error.code === "ERR_WORKER_OUT_OF_MEMORY";
  return new StarlarkError("limit", isMemory ? "the worker ran out of memory" : `the worker failed: ${error.message}`, {
    cause: error,
  });
}
