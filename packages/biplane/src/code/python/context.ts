import { createHash } from "node:crypto";
import { BiplaneError } from "@biplane/core";
import type { Share, Shares } from "@biplane/core/internal";
import { ActionTurn } from "../action-turn.ts";
import { notKept } from "../code-shares.ts";
import type { CodeContext, CodeHost, CodeLimits, CodeResult, ContextOptions } from "../engine.ts";
import { callBounds } from "../json-bounds.ts";
import type { CallerTurns } from "../caller-turns.ts";
import { PythonCalls } from "./calls.ts";
import type { IdleContexts } from "./idle-contexts.ts";
import type { ContextSetup, SavedState } from "./messages.ts";
import { makeOutput, OutputBuffer } from "./output-buffer.ts";
import type { InterpreterPool } from "./interpreter-pool.ts";
import type { PreparedInterpreter } from "./prepare.ts";
import { describeStop, stateLost, cancelledBeforeStart, sourceTooLong } from "./stop-errors.ts";
import { maxAnswerLength, readGuestAnswer } from "./read-answer.ts";
import { pythonToolSpecs } from "./signature.ts";
import { decodeSnapshot, encodeSnapshot, type SnapshotFit } from "./snapshot.ts";
import type { GuestOutcome, PythonWorker } from "./python-worker.ts";

export interface PythonContextOptions extends ContextOptions {
  readonly pool: InterpreterPool;
  readonly turns: CallerTurns;
  readonly idle: IdleContexts;
  readonly keptBytes: Shares;
  readonly codeLimits: CodeLimits;
  readonly seed: number | undefined;
  readonly keepsState: boolean;
  readonly scratchBytes: number;
  readonly onClose: (context: PythonContext) => void;
}

/**
 * One Python namespace. Its interpreter has a worker of its own while it runs, and for some time after. It gets a new
 * worker after an action had to be stopped, and when others needed its worker.
 */
export class PythonContext implements CodeContext {
  readonly #options: PythonContextOptions;
  readonly #limits: CodeLimits;
  readonly #memoryBytes: number;
  readonly #tools: string;
  readonly #calls: PythonCalls;
  readonly #shared: SharedArrayBuffer;
  readonly #output: OutputBuffer;
  readonly #share: Share;
  #interpreter: ContextInterpreter | undefined;
  #saved: SavedState | undefined;
  /** Why state was lost, if the agent does not know yet. */
  #loss: CodeResult | undefined;
  /** Others need the interpreter. */
  #mustPark = false;
  #brokenRuns = 0;
  #isClosed = false;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: PythonContextOptions) {
    this.#options = options;
    this.#limits = options.codeLimits;
    this.#memoryBytes = Math.max(minMemoryBytes, Math.ceil(this.#limits.memoryBytes / megabyte) * megabyte);
    this.#tools = JSON.stringify(pythonToolSpecs(options.tools));
    const answerBytes = Math.floor(this.#memoryBytes / 8);
    this.#calls = new PythonCalls(options.tools, { calls: this.#limits.calls, answerBytes });
    this.#shared = makeOutput(this.#limits.outputBytes);
    this.#output = new OutputBuffer(this.#shared);
    this.#share = options.keptBytes.open(options.caller);
  }

  get caller(): string | undefined {
    return this.#options.caller;
  }

  /** Loads the snapshot, if there is one. Otherwise the first action starts the interpreter. */
  async start(): Promise<void> {
    const { from, turns, caller } = this.#options;
    if (!from) return;
    const turn = await turns.take(caller);
    try {
      const interpreter = await this.#acquire();
      const saved = await decodeSnapshot(from, this.#fit(interpreter.prepared));
      if (!(await this.#load(interpreter, saved)))
        throw new BiplaneError("INVALID_INPUT", "The snapshot is damaged. Python cannot resume from it.");
      const fault = this.#keep(saved);
      if (fault) throw fault;
      this.#options.idle.add(this);
    } finally {
      turn.release();
    }
  }

  run(code: string, host: CodeHost): Promise<CodeResult> {
    const running = this.#enqueue(() => this.#act(code, host));
    void this.#enqueue(() => this.#settle());
    return running;
  }

  park(): void {
    this.#mustPark = true;
    void this.#enqueue(() => this.#park());
  }

  snapshot(): Promise<Uint8Array> {
    return this.#enqueue(async () => {
      if (!this.#options.keepsState) {
        throw new BiplaneError("NOT_SUPPORTED", "A snapshot needs an engine with keepsState: true.");
      }
      const prepared = this.#interpreter?.prepared ?? (await this.#ready()).prepared;
      await this.#settle();
      if (!this.#saved) throw new BiplaneError("INTERNAL", "The context has no saved state for a snapshot.");
      return encodeSnapshot(this.#saved, this.#fit(prepared));
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.onClose(this);
    this.#options.idle.delete(this);
    this.#share.release();
    await this.#giveBack();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #act(code: string, host: CodeHost): Promise<CodeResult> {
    if (Buffer.byteLength(code) > this.#limits.sourceBytes) return sourceTooLong(this.#limits.sourceBytes);
    const { turns, idle, caller, keptBytes } = this.#options;
    const { signal } = host;
    const turn = new ActionTurn({
      turns,
      caller,
      signal,
      share: keptBytes.open(caller),
      workerBytes: this.#memoryBytes,
    });
    try {
      await turn.begin();
    } catch {
      return cancelledBeforeStart(signal.reason, this.#limits);
    }
    idle.delete(this);
    this.#mustPark = false;
    try {
      return await this.#interpret(code, host, turn);
    } finally {
      turn.end();
      if (this.#interpreter && !this.#isClosed) idle.add(this);
    }
  }

  async #interpret(code: string, host: CodeHost, turn: ActionTurn): Promise<CodeResult> {
    const interpreter = await this.#ready();
    if (this.#loss) {
      const loss = this.#loss;
      this.#loss = undefined;
      return loss;
    }
    const answer = this.#calls.open(host, turn);
    const message = JSON.stringify({ kind: "action", code });
    const { cpuMs } = this.#limits;
    this.#output.clear();
    interpreter.isBusy = true;
    const end = await interpreter.worker.send({ kind: "act", message }, { cpuMs, signal: host.signal, answer });
    interpreter.isBusy = false;
    return this.#conclude(this.#isClosed ? { kind: "aborted" } : end, host.signal.reason);
  }

  #conclude(end: GuestOutcome, reason: unknown): CodeResult {
    const answer = readGuestAnswer(end, this.#limits);
    const isFull = answer?.error?.kind === "limit" && answer.error.name === "MemoryError";
    // If the guest breaks twice in a row, the saved state is broken too.
    this.#brokenRuns = answer || end.kind !== "ended" ? 0 : this.#brokenRuns + 1;
    if (this.#brokenRuns > 1) this.#keep(undefined);
    // Code that filled its memory cannot clean up, so restore the state before the action.
    if (!answer || (isFull && this.#saved)) this.#discard();
    const facts = { limits: this.#limits, reason, keeps: this.#saved ? "before" : "nothing" } as const;
    const { isCut, ...output } = this.#output.read();
    return {
      value: answer?.value,
      ...output,
      truncated: isCut || (answer?.isCut ?? false),
      error: answer && !(isFull && this.#saved) ? answer.error : describeStop(answer ? memoryFull : end, facts),
    };
  }

  /** Discards a worker whose guest is unusable. The next action gets a new one with the saved state. */
  #discard(): void {
    if (this.#interpreter) void this.#options.pool.discard(this.#interpreter.worker);
    this.#interpreter = undefined;
    if (!this.#saved) this.#loss = stateLost();
  }

  /** Gives the worker back to the pool. */
  async #giveBack(): Promise<void> {
    const interpreter = this.#interpreter;
    this.#interpreter = undefined;
    if (!interpreter) return;
    const { worker, prepared, isBusy } = interpreter;
    if (isBusy) await this.#options.pool.discard(worker);
    else await this.#options.pool.release(worker, { memoryBytes: this.#memoryBytes, prepared });
  }

  async #park(): Promise<void> {
    if (!this.#mustPark || this.#isClosed) return;
    await this.#settle();
    await this.#giveBack();
    if (!this.#saved) this.#loss = stateLost("when its interpreter was needed elsewhere");
  }

  /** The context's interpreter, or a new one if the last was lost. */
  async #ready(): Promise<ContextInterpreter> {
    if (this.#isClosed) throw new BiplaneError("NOT_SUPPORTED", "The context is closed.");
    if (this.#interpreter?.worker.isAlive) return this.#interpreter;
    if (this.#interpreter) this.#discard();
    const interpreter = await this.#acquire();
    if (await this.#load(interpreter, this.#saved)) return interpreter;
    if (!this.#saved) throw new BiplaneError("INTERNAL", "Python could not be restarted.");
    // Code can corrupt its own saved state.
    this.#keep(undefined);
    this.#loss = stateLost();
    return this.#ready();
  }

  async #acquire(): Promise<ContextInterpreter> {
    const interpreter = { ...(await this.#options.pool.acquire(this.#memoryBytes)), isBusy: false };
    this.#interpreter = interpreter;
    // If the context was closed meanwhile, nothing else would return the worker.
    if (this.#isClosed) await this.#options.pool.discard(interpreter.worker);
    return interpreter;
  }

  /** Loads the tools or the saved state into a new interpreter. False if that fails. */
  async #load({ worker }: ContextInterpreter, saved: SavedState | undefined): Promise<boolean> {
    const { seed, keepsState } = this.#options;
    const { valueBytes, stackBytes } = this.#limits;
    const callBytes = Math.min(callBounds.length, Math.floor(this.#memoryBytes / 16));
    const recursion = Math.min(20_000, Math.max(100, Math.floor(stackBytes / frameBytes)));
    const settings = { call_bytes: callBytes, value_bytes: valueBytes, recursion, seed: seed ?? null };
    const message = saved
      ? JSON.stringify({ kind: "resume", ...settings })
      : `${JSON.stringify({ kind: "open", ...settings }).slice(0, -1)},"tools":${this.#tools}}`;
    const answerLength = maxAnswerLength(this.#limits);
    const setup: ContextSetup = { output: this.#shared, seed, saved, isSaving: keepsState, callBytes, answerLength };
    const answer = (): string => '{"error":"No tool can be called yet.","code":"INTERNAL"}';
    const end = await worker.send({ kind: "open", message, setup }, { cpuMs: setupMs, signal: undefined, answer });
    if (end.kind === "ended" && end.ending.kind === "answered" && end.ending.text === "{}") return true;
    await this.#options.pool.discard(worker);
    this.#interpreter = undefined;
    return false;
  }

  /** Takes over the state that was saved after the last message. */
  async #settle(): Promise<void> {
    const saved = await this.#interpreter?.worker.savedState();
    if (!saved || this.#isClosed || saved === this.#saved) return;
    const fault = this.#keep(saved);
    if (!fault) return;
    this.#discard();
    this.#loss = stateLost(undefined, notKept(fault));
  }

  /** Returns the error if the state is more than the caller can keep. Then the context keeps its last state. */
  #keep(saved: SavedState | undefined): BiplaneError | undefined {
    const fault = this.#share.resize(saved ? saved.pages.length + saved.files.length : 0);
    if (!fault) this.#saved = saved;
    return fault;
  }

  #fit({ fingerprint }: PreparedInterpreter): SnapshotFit {
    const tools = createHash("sha256").update(this.#tools).digest("hex");
    return { image: fingerprint, tools, maxBytes: this.#memoryBytes + this.#options.scratchBytes * 2 + megabyte };
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => {});
    return result;
  }
}

interface ContextInterpreter {
  readonly worker: PythonWorker;
  readonly prepared: PreparedInterpreter;
  isBusy: boolean;
}

const memoryFull: GuestOutcome = { kind: "crashed" };
const megabyte = 1024 * 1024;
/** The interpreter needs most of this itself. */
const minMemoryBytes = 24 * megabyte;
const setupMs = 20_000;
/** Approximate memory of one Python frame. */
const frameBytes = 256;
