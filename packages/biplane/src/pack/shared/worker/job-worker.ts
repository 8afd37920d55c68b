import type { Worker } from "node:worker_threads";
import { BiplaneError } from "@biplane/core";
import type { Shares } from "@biplane/core/internal";
import { startWorker } from "../../../start-worker.ts";
import type { WorkerEntry } from "../../../start-worker.ts";
import { CallerTurns } from "../../../code/caller-turns.ts";
import { ThreadTime } from "../../../code/thread-time.ts";
import { TimeLimit } from "../../../code/time-limit.ts";

export interface JobWorkerOptions {
  readonly entry: WorkerEntry;
  /** Counts the jobs that wait or run. */
  readonly places: Shares;
  /** How many jobs are prepared at once (default: 1). */
  readonly preparing?: number;
  /** Time limit of a job in milliseconds, without the time that it waits for a processor (default: 5000). */
  readonly timeoutMs?: number;
}

export interface JobOptions {
  /** What an error says failed, such as "The page cannot be converted". */
  readonly failure: string;
  /** Who is charged for the job. Callers take turns. A caller of undefined is this process itself. */
  readonly caller: string | undefined;
  readonly signal: AbortSignal;
}

/** Messages of the worker: it has started, in which thread, a result, or a fault. */
export type JobReport =
  | { readonly thread: number | undefined }
  | { readonly result: unknown }
  | { readonly fault: string; readonly isOver?: true };

/** Works on foreign data in a worker thread, one job at a time. A job that takes too long ends only the worker. */
export class JobWorker<Job, Result> implements AsyncDisposable {
  readonly #options: JobWorkerOptions;
  readonly #turns: CallerTurns;
  #queue: Promise<unknown> = Promise.resolve();
  #worker: Worker | undefined;
  /** The time that the worker uses. */
  #time = new ThreadTime(undefined);
  #isClosed = false;

  constructor(options: JobWorkerOptions) {
    this.#options = options;
    this.#turns = new CallerTurns(options.preparing ?? 1);
  }

  /** Calls `prepare` when it is this job's turn, so that jobs that wait hold no data. */
  async run(prepare: () => Job | Promise<Job>, { caller, signal, failure }: JobOptions): Promise<Result> {
    const place = this.#options.places.take(caller);
    try {
      const turn = await this.#turns.take(caller, signal);
      try {
        const job = await prepare();
        const result = this.#queue.then(() => this.#runNow(job, failure));
        this.#queue = result.catch(() => undefined);
        return await result;
      } finally {
        turn.release();
      }
    } finally {
      place.release();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
  }

  async #runNow(job: Job, failure: string): Promise<Result> {
    const { entry, timeoutMs = 5000 } = this.#options;
    if (this.#isClosed) throw new BiplaneError("CANCELLED", "The server is closing.");
    const worker = this.#worker ?? startWorker(entry, workerOptions);
    worker.ref();
    const report = (await this.#startFault(worker)) ?? (await this.#reportOn(worker, job, timeoutMs));
    worker.unref();
    if ("result" in report) return report.result as Result;
    const { fault, isOver } =
      "fault" in report ? report : { fault: "its worker sent an unexpected message", isOver: true };
    if (isOver) {
      this.#worker = undefined;
      this.#time.close();
      await worker.terminate();
    }
    throw new BiplaneError("EXECUTION_ERROR", `${failure}: ${fault}.`);
  }

  /** Waits until a new worker has started. Returns the report if it has not. */
  async #startFault(worker: Worker): Promise<JobReport | undefined> {
    if (this.#worker === worker) return undefined;
    this.#worker = worker;
    this.#time = new ThreadTime(undefined);
    const report = await reportOf(worker, { ms: startTimeoutMs, used: this.#time.awake });
    if (!("thread" in report)) return report;
    this.#time = new ThreadTime(report.thread);
    return undefined;
  }

  #reportOn(worker: Worker, job: Job, ms: number): Promise<JobReport> {
    const report = reportOf(worker, { ms, used: this.#time.awake });
    worker.postMessage(job, []);
    return report;
  }
}

const startTimeoutMs = 30_000;
const workerOptions = {
  resourceLimits: { maxOldGenerationSizeMb: 256, stackSizeMb: 4 },
  stdout: true,
  stderr: true,
  env: {},
};

function reportOf(worker: Worker, { ms, used }: { ms: number; used: () => number }): Promise<JobReport> {
  return new Promise((resolve) => {
    const finish = (report: JobReport) => {
      limit.stop();
      worker.off("message", finish).off("error", broken).off("exit", ended);
      resolve(report);
    };
    const end = (fault: string) => finish({ fault, isOver: true });
    const broken = (error: Error & { code?: string }) =>
      end(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? "it is too large" : `its worker failed (${error.message})`);
    const ended = () => end("its worker ended");
    const limit = new TimeLimit({ ms, used, onExceeded: () => end(`it takes longer than ${ms / 1000} s`) });
    worker.on("message", finish).on("error", broken).on("exit", ended);
  });
}
