import type { Worker } from "node:worker_threads";
import { BiplaneError } from "@biplane/core";
import type { Shares } from "@biplane/core/internal";
import { startWorker } from "../../../start-worker.ts";
import type { WorkerEntry } from "../../../start-worker.ts";
import { CallerTurns } from "../../../code/caller-turns.ts";

export interface JobWorkerOptions {
  readonly entry: WorkerEntry;
  /** Counts the jobs that wait or run. */
  readonly places: Shares;
  /** How many jobs are prepared at once (default: 1). */
  readonly preparing?: number;
  /** Time limit of a job in milliseconds (default: 5000). */
  readonly timeoutMs?: number;
}

export interface JobOptions extends JobCaller {
  /** What an error says failed, such as "The page cannot be converted". */
  readonly failure: string;
}

export interface JobCaller {
  /** Who is charged for the job. Callers take turns. A caller of undefined is this process itself. */
  readonly caller: string | undefined;
  readonly signal: AbortSignal;
}

/** Messages of the worker: it has started, a result, or a fault. */
export type JobReport = "ready" | { readonly result: unknown } | { readonly fault: string; readonly isOver?: true };

/** Works on foreign data in a worker thread, one job at a time. A job that takes too long ends only the worker. */
export class JobWorker<Job, Result> implements AsyncDisposable {
  readonly #options: JobWorkerOptions;
  readonly #turns: CallerTurns;
  #queue: Promise<unknown> = Promise.resolve();
  #worker: Worker | undefined;
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
    const isNew = this.#worker === undefined;
    const worker = (this.#worker ??= startWorker(entry, workerOptions));
    worker.ref();
    let report = isNew ? await reportOf(worker, startTimeoutMs) : ("ready" as const);
    if (report === "ready") {
      const answer = reportOf(worker, timeoutMs);
      worker.postMessage(job, []);
      report = await answer;
    }
    worker.unref();
    if (typeof report === "object" && "result" in report) return report.result as Result;
    const { fault, isOver } =
      typeof report === "object" ? report : { fault: "its worker sent an unexpected message", isOver: true };
    if (isOver) {
      this.#worker = undefined;
      await worker.terminate();
    }
    throw new BiplaneError("EXECUTION_ERROR", `${failure}: ${fault}.`);
  }
}

const startTimeoutMs = 30_000;
const workerOptions = {
  resourceLimits: { maxOldGenerationSizeMb: 256, stackSizeMb: 4 },
  stdout: true,
  stderr: true,
  env: {},
};

function reportOf(worker: Worker, timeoutMs: number): Promise<JobReport> {
  return new Promise((resolve) => {
    const finish = (report: JobReport) => {
      clearTimeout(timer);
      worker.off("message", finish).off("error", broken).off("exit", ended);
      resolve(report);
    };
    const end = (fault: string) => finish({ fault, isOver: true });
    const broken = (error: Error & { code?: string }) =>
      end(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? "it is too large" : `its worker failed (${error.message})`);
    const ended = () => end("its worker ended");
    const timer = setTimeout(() => end(`it takes longer than ${timeoutMs / 1000} s`), timeoutMs);
    worker.on("message", finish).on("error", broken).on("exit", ended);
  });
}
