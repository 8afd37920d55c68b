import { parentPort } from "node:worker_threads";
import { threadId } from "../../../code/thread-time.ts";
import type { JobReport } from "./job-worker.ts";

/** The worker's side of a `JobWorker`. */
export function answerJobs(work: (job: never) => unknown): void {
  parentPort?.on("message", (job: unknown) => {
    try {
      send({ result: work(job as never) });
    } catch (error) {
      send({ fault: faultOf(error) });
    }
  });
  send({ thread: threadId() });
}

/** A job that exceeds a limit. The message is the end of a sentence: "it has more than …". */
export class JobLimitError extends Error {}

function faultOf(error: unknown): string {
  if (error instanceof JobLimitError) return error.message;
  return error instanceof RangeError ? "it is nested too deeply" : "it is broken";
}

function send(report: JobReport): void {
  parentPort?.postMessage(report, []);
}
