import { parentPort } from "node:worker_threads";
import type { Base } from "./base.ts";
import type { Guest, GuestHost, GuestProgress, RunState } from "./guest.ts";
import type {
  JavascriptWorkerMessage,
  MadeCalls,
  Replies,
  ActionEvent,
  SavedProgress,
  WorkerJob,
  JavascriptWorkerRequest,
} from "./messages.ts";
import { Output } from "../output.ts";
import type { Printed } from "../output.ts";
import { threadId } from "../thread-time.ts";
import { SpareGuests } from "./spare-guests.ts";
import { ToolGuide } from "./toolset.ts";

/** Worker entry. Runs one action at a time, and keeps machines of contexts that may run again. */
const bindings = new Map<number, { base: Base; guide: ToolGuide }>();
const guests = new Map<number, Guest>();
const spare = new SpareGuests();
let action: { readonly job: WorkerJob; readonly guest: Guest; readonly progress: GuestProgress } | undefined;
let handled = 0;
let reportedBytes = 0;
/** Calls that were not sent yet. Mostly the code waits right after a call, and one message says both. */
let made: [id: number, tool: string, input: string][] = [];
let madeLength = 0;

parentPort?.on("message", (message: JavascriptWorkerRequest) => {
  void handle(message);
});
parentPort?.postMessage({ kind: "ready", thread: threadId() } satisfies JavascriptWorkerMessage, []);

async function handle(message: JavascriptWorkerRequest): Promise<void> {
  switch (message.kind) {
    case "bindings":
      bindings.set(message.id, { base: message.base, guide: new ToolGuide(message.toolset) });
      return;
    case "start":
      return begin(message.job, undefined, (guest, progress, host) => guest.start(message.code, progress, host));
    case "resume":
      return begin(message.job, message.progress, (guest, progress, host) => {
        guest.resume(progress, host);
        return settleAll(guest, message.replies);
      });
    case "replies":
      handled++;
      if (action) report(settleAll(action.guest, message.replies));
      return;
    case "park":
      return park();
    case "abandon":
      if (action) discard(action.job.context);
      action = undefined;
      return;
    case "forget":
      for (const context of message.contexts) drop(context);
  }
}

async function begin(
  job: WorkerJob,
  saved: SavedProgress | undefined,
  start: (guest: Guest, progress: GuestProgress, host: GuestHost) => RunState | Promise<RunState>,
): Promise<void> {
  handled = 1;
  reportedBytes = 0;
  takeCalls();
  const bound = bindings.get(job.bindings);
  if (!bound) throw new Error("The worker received an action before its tools.");
  if (!job.hasMachine) drop(job.context);
  const { limits } = job;
  const guest = guests.get(job.context) ?? (await spare.take(bound.base, limits, job.image));
  guests.set(job.context, guest);
  const output = new Output(limits.outputBytes, saved?.output);
  const fresh = { calls: 0, cpuMs: 0, reply: undefined };
  const progress: GuestProgress = { ...fresh, ...saved, open: new Map(saved?.open), limits, output };
  const current = (action = { job, guest, progress });
  const state = await start(guest, progress, {
    guide: bound.guide,
    isStopped: () => false, // then the worker is terminated
    // The calls of code that computes need not wait for its end.
    whileComputing: () => sendCalls(job),
    call: (id, tool, input) => {
      made.push([id, tool, input]);
      madeLength += input.length;
      if (made.length >= maxUnsentCalls || madeLength > maxUnsentLength) sendCalls(job);
      return undefined;
    },
  });
  if (action === current) report(state);
}

function settleAll(guest: Guest, replies: Replies): RunState {
  let state: RunState = "waiting";
  for (const [id, reply] of replies) {
    state = guest.settle(id, reply);
    if (state !== "waiting") break;
  }
  return state;
}

function report(state: RunState): void {
  if (!action) return;
  const { job, guest, progress } = action;
  if (state === "waiting") return reportWaiting(job, progress);
  const { result, isBroken } = state;
  action = undefined;
  const image = isBroken ? undefined : guest.image();
  const { bytes } = guest;
  if (isBroken) discard(job.context);
  sendCalls(job);
  send(job, { kind: "over", result, image, bytes });
}

function reportWaiting(job: WorkerJob, { cpuMs, output }: GuestProgress): void {
  const bytes = output.stdout.length + output.stderr.length;
  const news = bytes > reportedBytes ? printed(output) : undefined;
  send(job, { kind: "waiting", calls: takeCalls(), handled, cpuMs, output: news });
  reportedBytes = bytes;
}

function sendCalls(job: WorkerJob): void {
  if (made.length > 0) send(job, { kind: "calls", calls: takeCalls() });
}

function takeCalls(): MadeCalls {
  const calls = made;
  made = [];
  madeLength = 0;
  return calls;
}

const maxUnsentCalls = 100;
const maxUnsentLength = 65_536;

function park(): void {
  if (!action) return;
  const { job, guest, progress } = action;
  const { output, calls, open, cpuMs, reply } = progress;
  const image = guest.image();
  action = undefined;
  drop(job.context);
  const saved = { output: printed(output), calls, open, cpuMs, reply };
  send(job, { kind: "parked", image, progress: saved });
}

/** Releases a context's machine for reuse. */
function drop(context: number): void {
  const guest = guests.get(context);
  guests.delete(context);
  if (guest) spare.give(guest);
}

/** Disposes of a machine that may still be computing. */
function discard(context: number): void {
  guests.get(context)?.dispose();
  guests.delete(context);
}

function printed({ stdout, stderr, isCut }: Output): Printed {
  return { stdout, stderr, isCut };
}

function send({ action }: WorkerJob, event: ActionEvent): void {
  parentPort?.postMessage({ action, ...event } satisfies JavascriptWorkerMessage, []);
}
