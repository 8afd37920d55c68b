import type { CodeError, CodeHost, CodeResult } from "../engine.ts";
import type { Finished, Place } from "./context.ts";
import { limitError } from "./endings.ts";
import type { Image } from "./base.ts";
import type { Printed, Said, SavedProgress, Seat } from "./messages.ts";
import type { WorkerRunner } from "./pool.ts";
import { replyTo } from "./reply.ts";
import type { WorkerHandle } from "./worker-handle.ts";

interface ActionOptions {
  readonly action: number;
  readonly place: Place;
  readonly host: CodeHost;
  readonly context: number;
  readonly ground: number;
}

/**
 * One action in whatever workers it needs. While code computes a watchdog stands beside it, because not everything that
 * QuickJS does can be interrupted; while it only waits, it is laid aside as an image and holds no worker.
 */
export class WorkerAction {
  readonly #runner: WorkerRunner;
  readonly #options: ActionOptions;
  readonly #finished: Promise<Finished>;
  #finish: (finished: Finished) => void = () => undefined;
  #worker: WorkerHandle | undefined;
  #parked: { readonly image: Image; readonly progress: SavedProgress } | undefined;
  /** Replies that came while the action was between two workers. */
  #replies: [number, string][] = [];
  #isMoving = false;
  #isComputing = false;
  #printed: Printed = { stdout: "", stderr: "", isCut: false };
  #isOver = false;
  #sent = 0;
  #cpuMs = 0;
  #watchdog: NodeJS.Timeout | undefined;
  #patience: NodeJS.Timeout | undefined;

  constructor(runner: WorkerRunner, options: ActionOptions) {
    this.#runner = runner;
    this.#options = options;
    this.#finished = new Promise((resolve) => (this.#finish = resolve));
  }

  async run(code: string): Promise<Finished> {
    const { signal } = this.#options.host;
    const onAbort = () => this.stop();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      void this.#enter((worker, place) => worker.send({ kind: "start", place, code }));
      return await this.#finished;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** Ends it from outside. */
  stop(): void {
    this.#end(limitError("cancelled", "The action was cancelled"));
  }

  /** Goes into a worker: the first time, and again with each reply after it was laid aside. */
  async #enter(begin: (worker: WorkerHandle, place: Seat) => void): Promise<void> {
    const { action, context, ground, place } = this.#options;
    this.#isMoving = true;
    try {
      const worker = await this.#runner.take(context);
      if (this.#isOver) return this.#runner.give(worker);
      this.#worker = worker;
      await worker.take({ action, heard: (said) => this.#heard(said), lost: (why) => this.#lost(why) });
      if (this.#isOver) return;
      this.#isMoving = false;
      const { base, toolset } = place.ground;
      worker.lend({ kind: "ground", ground, base, toolset });
      const isHere = !this.#parked && worker.has(context);
      const image = isHere ? undefined : (this.#parked?.image ?? place.image);
      this.#sent = 1;
      this.#watch();
      begin(worker, { action, context, ground, limits: place.limits, image, isHere });
    } catch {
      this.#end(limitError("cancelled", "No worker could take the action"));
    }
  }

  #heard(message: Said): void {
    if (this.#isOver) return;
    switch (message.kind) {
      case "call":
        return this.#call(message.id, message.tool, message.input);
      case "waiting":
        this.#cpuMs = message.cpuMs;
        if (message.output) this.#printed = message.output;
        if (message.heard < this.#sent) return this.#watch();
        this.#isComputing = false;
        clearTimeout(this.#watchdog);
        this.#patience = setTimeout(() => this.#park(), this.#runner.isCrowded ? hurriedMs : patientMs);
        return;
      case "parked":
        return this.#laidAside(message.image, message.progress);
      case "over":
        return this.#over(message.result, message.image, message.bytes);
    }
  }

  #call(id: number, tool: string, input: string): void {
    const reply = replyTo(this.#options.host, tool, input);
    if (typeof reply === "string") this.#answer(id, reply);
    else void reply.then((late) => this.#answer(id, late));
  }

  #answer(id: number, reply: string): void {
    if (this.#isOver) return;
    if (!this.#worker || this.#isMoving) {
      this.#replies.push([id, reply]);
      if (this.#parked && !this.#isMoving) this.#comeBack();
      return;
    }
    clearTimeout(this.#patience);
    this.#sent++;
    this.#watch();
    this.#worker.send({ kind: "replies", replies: [[id, reply]] });
  }

  #park(): void {
    this.#isMoving = true;
    this.#worker?.send({ kind: "park" });
  }

  #laidAside(image: Image, progress: SavedProgress): void {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#isMoving = false;
    this.#parked = { image, progress };
    worker?.gone(this.#options.context);
    if (worker) this.#runner.give(worker);
    if (this.#replies.length > 0) this.#comeBack();
  }

  #comeBack(): void {
    void this.#enter((worker, place) => {
      const { progress } = this.#parked as { progress: SavedProgress };
      this.#parked = undefined;
      worker.send({ kind: "resume", place, progress, replies: this.#replies.splice(0) });
    });
  }

  #over(result: CodeResult, image: Image | undefined, bytes: number): void {
    const { context } = this.#options;
    if (image) this.#worker?.keep(context, bytes);
    else this.#worker?.gone(context);
    this.#runner.settleIn(context, image ? this.#worker : undefined);
    this.#close();
    this.#finish({ result, image });
  }

  /** Code that computes for longer than it may, and cannot be interrupted, goes with its worker. */
  #watch(): void {
    this.#isComputing = true;
    clearTimeout(this.#watchdog);
    const { cpuMs } = this.#options.place.limits;
    const late = () => this.#end(limitError("limit", `The code computed for more than ${cpuMs} ms`));
    this.#watchdog = setTimeout(late, Math.max(0, cpuMs - this.#cpuMs) + graceMs);
  }

  #lost(why: "memory" | "crash"): void {
    const message = why === "memory" ? "The code needs more memory than it may have" : "The worker of the code failed";
    this.#end(limitError("limit", message));
  }

  /** The context stays as it was before the action. */
  #end(error: CodeError): void {
    if (this.#isOver) return;
    const worker = this.#worker;
    // A worker that only waits hears what it is told; one that computes may never.
    if (this.#isComputing) void worker?.terminate();
    else worker?.send({ kind: "abandon" });
    worker?.gone(this.#options.context);
    this.#close();
    const { stdout, stderr, isCut } = this.#printed;
    this.#finish({ result: { value: undefined, stdout, stderr, truncated: isCut, error }, image: undefined });
  }

  #close(): void {
    this.#isOver = true;
    clearTimeout(this.#watchdog);
    clearTimeout(this.#patience);
    if (this.#worker) this.#runner.give(this.#worker);
  }
}

/** How long a waiting action may hold a worker, alone and while others wait. */
const patientMs = 50;
const hurriedMs = 2;

/** What a worker may take longer than its guest's own clock, before it is given up. */
const graceMs = 500;
