import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { StarlarkError } from "../errors.ts";
import type { FromWorker, Job, Reply, WireError, WorkerSetup } from "./messages.ts";
import { executeJob, HostErrorReference } from "./execute-job.ts";

/** The entry of a worker: runs one job after another, asking the host and sleeping when a program needs it. */
const { replyCount, replies } = workerData as WorkerSetup;
const counter = new Int32Array(replyCount);

parentPort?.on("message", (job: Job) => {
  try {
    post(executeJob(job, { ask, print: (line) => post({ kind: "print", line }) }));
  } catch (error) {
    post({ kind: "failed", error: toWireError(error) });
  }
});

function ask(question: FromWorker): Reply {
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

function findHostError(error: unknown): number | undefined {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current instanceof HostErrorReference) return current.errorIndex;
  }
  return undefined;
}
