import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { StarlarkError } from "../errors.ts";
import { checkJob } from "./check-job.ts";
import { evaluateJob } from "./evaluate-job.ts";
import { executeJob } from "./execute-job.ts";
import { HostErrorReference, type HostLine } from "./host-line.ts";
import type { FromWorker, Job, Reply, WireError, WorkerQuestion, WorkerSetup } from "./messages.ts";

/** The entry of a worker: runs jobs one after another. It sleeps while the host answers a question. */
const { replyCount, replies } = workerData as WorkerSetup;
const counter = new Int32Array(replyCount);

parentPort?.on("message", (job: Job) => {
  post({ kind: "begun" });
  try {
    post(perform(job, { ask, print: (text) => post({ kind: "print", text }) }));
  } catch (error) {
    const described = toWireError(error);
    post({ kind: "failed", error: job.kind === "run" ? described : boundError(described) });
  }
});

function perform(job: Job, line: HostLine): FromWorker {
  if (job.kind === "run") return executeJob(job, line);
  return job.kind === "evaluate" ? evaluateJob(job, line) : checkJob(job);
}

function ask(question: WorkerQuestion): Reply {
  const before = Atomics.load(counter, 0);
  post(question);
  Atomics.wait(counter, 0, before);
  const received = receiveMessageOnPort(replies);
  if (!received) throw new Error("the host woke the worker without a reply");
  return received.message as Reply;
}

function post(message: FromWorker): void {
  parentPort?.postMessage(message, []);
}

function toWireError(error: unknown): WireError {
  if (!(error instanceof StarlarkError)) {
    const reason = `internal error: ${error instanceof Error ? error.message : String(error)}`;
    return { code: "evaluation", reason, details: {}, errorIndex: undefined };
  }
  const { code, reason, location, excerpt, frames, problems } = error;
  return { code, reason, details: { location, excerpt, frames, problems }, errorIndex: findHostError(error) };
}

/** An error as long as one that people read. A program can make it as long as it likes. */
function boundError({ reason, details, ...rest }: WireError): WireError {
  const { excerpt, frames = [], problems = [] } = details;
  return {
    ...rest,
    reason: reason.slice(0, maxReasonLength),
    details: {
      ...details,
      excerpt: excerpt === undefined || excerpt.length > maxReasonLength ? undefined : excerpt,
      frames: frames.slice(-maxEntries),
      problems: problems.slice(0, maxEntries).map((problem) => ({
        ...problem,
        reason: problem.reason.slice(0, maxReasonLength),
      })),
    },
  };
}

const maxReasonLength = 10_000;
const maxEntries = 50;

function findHostError(error: unknown): number | undefined {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current instanceof HostErrorReference) return current.errorIndex;
  }
  return undefined;
}
