import { loopTurns } from "@biplane/core/internal";
import type { Share } from "@biplane/core/internal";
import type { CodeError, CodeHost } from "../engine.ts";
import type { FinishedAction, ContextState } from "./context.ts";
import { lengthOf } from "./call-fault.ts";
import { cpuExceeded, fittingReply, limitError } from "./errors.ts";
import type { ContextImage } from "./base.ts";
import { decodeResult } from "./guest-result.ts";
import type { GuestResult } from "./guest-result.ts";
import type { Printed } from "../output.ts";
import type { ActionEvent, MadeCalls, Replies, SavedProgress, WorkerJob } from "./messages.ts";
import { TimeLimit } from "../time-limit.ts";
import type { WorkerRunner } from "./worker-runner.ts";
import { replyTo } from "./reply.ts";
import type { JavascriptWorker } from "./javascript-worker.ts";

interface WorkerActionOptions {
  readonly action: number;
  readonly state: ContextState;
  readonly host: CodeHost;
  readonly context: number;
  readonly bindings: number;
}

/**
 * One action, which can move between workers. A watchdog terminates the worker if the code computes too long, because
 * QuickJS cannot interrupt every built-in. While the action waits, it is parked and holds no worker.
 */
export class WorkerAction {
  readonly #runner: WorkerRunner;
  readonly #options: WorkerActionOptions;
  readonly #finished: Promise<FinishedAction>;
  #finish: (finished: FinishedAction) => void = () => undefined;
  #worker: JavascriptWorker | undefined;
  #parked: { readonly image: ContextImage; readonly progress: SavedProgress } | undefined;
  /** What the caller is charged for the parked action. */
  readonly #parkedBytes: Share;
  /** Replies that are not sent yet, and their length. */
  #replies: [number, string][] = [];
  #repliesLength = 0;
  /** The length of each message with replies that the worker has not handled yet, and the sum. */
  readonly #unhandled: number[] = [];
  #unhandledLength = 0;
  #lastCall = 0;
  readonly #ending = new AbortController();
  #isMoving = false;
  #isComputing = false;
  #printed: Printed = { stdout: "", stderr: "", isCut: false };
  #hasEnded = false;
  #sent = 0;
  #cpuMs = 0;
  #watchdog: TimeLimit | undefined;
  #parkTimer: NodeJS.Timeout | undefined;

  constructor(runner: WorkerRunner, options: WorkerActionOptions) {
    this.#runner = runner;
    this.#options = options;
    this.#parkedBytes = options.state.keptBytes.open(options.state.caller);
    this.#finished = new Promise((resolve) => (this.#finish = resolve));
  }

  async run(code: string): Promise<FinishedAction> {
    const { signal } = this.#options.host;
    const onAbort = () => this.stop();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      void this.#enterWorker((worker, job) => worker.send({ kind: "start", job, code }));
      return await this.#finished;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Cancels the action. */
  stop(): void {
    this.#end(limitError("cancelled", "The action was cancelled."));
  }

  /** Moves the action into a worker, at the start and when a reply arrives for a parked action. */
  async #enterWorker(begin: (worker: JavascriptWorker, job: WorkerJob) => void): Promise<void> {
    const { action, context, bindings, state } = this.#options;
    this.#isMoving = true;
    try {
      const worker = await this.#runner.acquire(context, state.caller, this.#ending.signal);
      if (this.#hasEnded) return this.#runner.release(worker);
      this.#worker = worker;
      await worker.acquire({
        action,
        onEvent: (event) => this.#onEvent(event),
        onLost: (cause) => this.#onLost(cause),
      });
      if (this.#hasEnded) return;
      this.#isMoving = false;
      const { base, toolset } = state.bindings;
      worker.sendBindings({ kind: "bindings", id: bindings, base, toolset });
      const hasMachine = !this.#parked && worker.has(context);
      const image = hasMachine ? undefined : (this.#parked?.image ?? state.image);
      this.#sent = 1;
      this.#unhandled.length = 0;
      this.#unhandledLength = 0;
      this.#watchdog = undefined; // that of another worker
      this.#watch();
      begin(worker, { action, context, bindings, limits: state.limits, image, hasMachine });
    } catch {
      this.#end(limitError("cancelled", "No worker could run the action."));
    }
  }

  #onEvent(message: ActionEvent): void {
    if (this.#hasEnded) return;
    switch (message.kind) {
      case "calls":
        return this.#onCalls(message.calls);
      case "waiting":
        this.#markHandled(message.handled);
        this.#onCalls(message.calls);
        if (this.#hasEnded) return;
        this.#cpuMs = message.cpuMs;
        if (message.output) this.#printed = message.output;
        this.#sendReplies();
        if (message.handled < this.#sent) return this.#watch();
        this.#isComputing = false;
        this.#watchdog?.pause();
        this.#parkTimer = setTimeout(() => this.#park(), this.#runner.hasQueue ? queuedParkAfterMs : parkAfterMs);
        return;
      case "parked":
        return this.#onParked(message.image, message.progress);
      case "over":
        return this.#onOver(message.result, message.image, message.bytes);
    }
  }

  /** The worker numbers the calls. Any other number means that it is no longer sound. */
  #onCalls(calls: MadeCalls): void {
    const { state, host } = this.#options;
    for (const [id, tool, input] of calls) {
      if (id !== ++this.#lastCall || id > state.limits.calls) return this.#onLost("crash");
      loopTurns.run(state.caller, () => {
        if (this.#hasEnded) return;
        const reply = replyTo({ tool, input }, host, state.bindings.guide);
        if (typeof reply === "string") this.#answer(id, reply);
        else void reply.then((text) => this.#answer(id, text));
      });
    }
  }

  /** Replies that arrive in the same turn are sent together. */
  #answer(id: number, given: string): void {
    if (this.#hasEnded) return;
    const { memoryBytes } = this.#options.state.limits;
    const reply = fittingReply(given, memoryBytes);
    this.#replies.push([id, reply]);
    this.#repliesLength += reply.length;
    // They would not fit into the code's memory either.
    if (this.#repliesLength + this.#unhandledLength > memoryBytes)
      return this.#end(
        limitError("limit", `The results that the code waits for are larger than ${memoryBytes} bytes.`),
      );
    if (this.#parked && !this.#isMoving) this.#resume();
    else if (this.#replies.length === 1) queueMicrotask(() => this.#sendReplies());
  }

  /** If the action has no worker, they are sent with its next one. */
  #sendReplies(): void {
    if (this.#hasEnded || this.#replies.length === 0 || !this.#worker || this.#isMoving) return;
    clearTimeout(this.#parkTimer);
    this.#sent++;
    this.#watch();
    this.#unhandled.push(this.#repliesLength);
    this.#unhandledLength += this.#repliesLength;
    this.#worker.send({ kind: "replies", replies: this.#takeReplies() });
  }

  #takeReplies(): Replies {
    const replies = this.#replies;
    this.#replies = [];
    this.#repliesLength = 0;
    return replies;
  }

  #markHandled(messages: number): void {
    for (const length of this.#unhandled.splice(0, this.#unhandled.length - (this.#sent - messages)))
      this.#unhandledLength -= length;
  }

  #park(): void {
    this.#isMoving = true;
    this.#worker?.send({ kind: "park" });
  }

  #onParked(image: ContextImage, progress: SavedProgress): void {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#isMoving = false;
    this.#watchdog?.stop();
    this.#parked = { image, progress };
    worker?.markDropped(this.#options.context);
    if (worker) this.#runner.release(worker);
    const fault = this.#parkedBytes.resize(image.pages.length + lengthOf(progress.open));
    if (fault) return this.#end(limitError("limit", `The code cannot wait for its calls. ${fault.message}`));
    if (this.#replies.length > 0) this.#resume();
  }

  #resume(): void {
    void this.#enterWorker((worker, job) => {
      const { progress } = this.#parked as { progress: SavedProgress };
      this.#parked = undefined;
      this.#parkedBytes.release();
      worker.send({ kind: "resume", job, progress, replies: this.#takeReplies() });
    });
  }

  #onOver(result: GuestResult, image: ContextImage | undefined, bytes: number): void {
    const { context } = this.#options;
    if (image) this.#worker?.markKept(context, bytes);
    else this.#worker?.markDropped(context);
    this.#runner.dropOtherCopies(context, image ? this.#worker : undefined);
    this.#close();
    this.#finish({ result: decodeResult(result), image });
  }

  /** Terminates the worker if the code computes longer than its limit and cannot be interrupted. */
  #watch(): void {
    this.#isComputing = true;
    const { cpuMs } = this.#options.state.limits;
    const ms = Math.max(0, cpuMs - this.#cpuMs) + graceMs;
    if (this.#watchdog) return this.#watchdog.resume(ms);
    this.#watchdog = new TimeLimit({
      ms,
      used: this.#worker?.time.lately ?? (() => performance.now()),
      onExceeded: () => this.#end(limitError("limit", cpuExceeded(cpuMs))),
    });
  }

  #onLost(cause: "memory" | "crash"): void {
    const message = cause === "memory" ? "The code exceeded its memory limit." : "The worker that ran the code failed.";
    this.#end(limitError("limit", message));
  }

  /** Ends the action. The context keeps the state it had before. */
  #end(error: CodeError): void {
    if (this.#hasEnded) return;
    const worker = this.#worker;
    // A waiting worker handles messages. A computing one may never do so.
    if (this.#isComputing) void worker?.terminate();
    else worker?.send({ kind: "abandon" });
    worker?.markDropped(this.#options.context);
    this.#close();
    const { stdout, stderr, isCut } = this.#printed;
    this.#finish({ result: { value: undefined, stdout, stderr, truncated: isCut, error }, image: undefined });
  }

  #close(): void {
    this.#hasEnded = true;
    this.#ending.abort();
    this.#parkedBytes.release();
    this.#watchdog?.stop();
    clearTimeout(this.#parkTimer);
    if (this.#worker) this.#runner.release(this.#worker);
  }
}

/** How long a waiting action holds its worker: without and with other actions in the queue. */
const parkAfterMs = 50;
const queuedParkAfterMs = 2;

/** Extra time beyond the CPU limit before a worker is terminated. */
const graceMs = 500;
