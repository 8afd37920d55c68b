import { createHash } from "node:crypto";
import { BiplaneError } from "../../errors.ts";
import type { CodeContext, CodeHost, CodeLimits, CodeResult, ContextOptions } from "../engine.ts";
import { CallDesk } from "./calls.ts";
import type { Opening, SavedState } from "./messages.ts";
import { makeOutput, OutputBuffer } from "./output-buffer.ts";
import type { Pool } from "./pool.ts";
import type { Prepared } from "./prepare.ts";
import { describeStop, lostState, notBegun, tooLong } from "./stops.ts";
import { readAnswer } from "./read-answer.ts";
import { describeTools } from "./signature.ts";
import { decodeSnapshot, encodeSnapshot, type SnapshotFit } from "./snapshot.ts";
import type { ErrandEnd, WorkerHandle } from "./worker-handle.ts";

export interface PythonContextOptions extends ContextOptions {
  readonly pool: Pool;
  readonly codeLimits: CodeLimits;
  readonly seed: number | undefined;
  readonly keepsState: boolean;
  readonly scratchBytes: number;
  readonly onClose: (context: PythonContext) => void;
}

/** One namespace of Python. It has a worker of its own, and gets another one where an action had to be stopped. */
export class PythonContext implements CodeContext {
  readonly #options: PythonContextOptions;
  readonly #limits: CodeLimits;
  readonly #memoryBytes: number;
  readonly #tools: string;
  readonly #desk: CallDesk;
  readonly #shared: SharedArrayBuffer;
  readonly #output: OutputBuffer;
  #place: Place | undefined;
  #saved: SavedState | undefined;
  /** All that was defined is gone and the agent has not been told. */
  #isLost = false;
  #broken = 0;
  #isClosed = false;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: PythonContextOptions) {
    this.#options = options;
    this.#limits = options.codeLimits;
    this.#memoryBytes = Math.max(leastMemoryBytes, Math.ceil(this.#limits.memoryBytes / megabyte) * megabyte);
    this.#tools = JSON.stringify(describeTools(options.tools));
    const answerBytes = Math.floor(this.#memoryBytes / 8);
    this.#desk = new CallDesk(options.tools, { calls: this.#limits.calls, answerBytes });
    this.#shared = makeOutput(this.#limits.outputBytes);
    this.#output = new OutputBuffer(this.#shared);
  }

  /** Gets the context a worker, and what it begins with. */
  async start(): Promise<void> {
    const place = await this.#enter();
    const { from } = this.#options;
    const saved = from && decodeSnapshot(from, this.#fit(place.prepared));
    if (await this.#fill(place, saved)) return;
    if (saved) throw new BiplaneError("INVALID_INPUT", "The snapshot is damaged: Python cannot go on from it");
    throw new BiplaneError("INTERNAL", "Python could not be given its tools: they need more memory than it may have");
  }

  run(code: string, host: CodeHost): Promise<CodeResult> {
    return this.#inTurn(() => this.#act(code, host));
  }

  snapshot(): Promise<Uint8Array> {
    return this.#inTurn(async () => {
      if (!this.#options.keepsState) {
        throw new BiplaneError("NOT_SUPPORTED", "A snapshot needs an engine with keepsState, which is on by default");
      }
      const { prepared } = await this.#stand();
      const saved = await this.#settled();
      if (!saved) throw new BiplaneError("INTERNAL", "The context has nothing saved to make a snapshot of");
      return encodeSnapshot(saved, this.#fit(prepared));
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.onClose(this);
    const place = this.#place;
    this.#place = undefined;
    if (!place) return;
    const { worker, prepared, isBusy } = place;
    if (isBusy) await this.#options.pool.discard(worker);
    else await this.#options.pool.release(worker, { memoryBytes: this.#memoryBytes, prepared });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #act(code: string, host: CodeHost): Promise<CodeResult> {
    if (Buffer.byteLength(code) > this.#limits.sourceBytes) return tooLong(this.#limits.sourceBytes);
    if (host.signal.aborted) return notBegun(host.signal.reason, this.#limits);
    const place = await this.#stand();
    if (this.#isLost) {
      this.#isLost = false;
      return lostState;
    }
    const answer = this.#desk.open(host);
    const order = JSON.stringify({ kind: "action", code });
    const { cpuMs } = this.#limits;
    await this.#settled();
    this.#output.clear();
    place.isBusy = true;
    const end = await place.worker.send({ kind: "act", order }, { cpuMs, signal: host.signal, answer });
    place.isBusy = false;
    return this.#conclude(this.#isClosed ? { kind: "aborted" } : end, host.signal.reason);
  }

  #conclude(end: ErrandEnd, reason: unknown): CodeResult {
    const said = readAnswer(end, this.#limits);
    const isFull = said?.error?.kind === "limit" && said.error.name === "MemoryError";
    // What is broken twice in a row was saved broken.
    this.#broken = said || end.kind !== "ended" ? 0 : this.#broken + 1;
    if (this.#broken > 1) this.#saved = undefined;
    // Code that has filled its memory has none left to tidy up with, so that it too goes back to where it was.
    if (!said || (isFull && this.#saved)) this.#leave();
    const facts = { limits: this.#limits, reason, keeps: this.#saved ? "before" : "nothing" } as const;
    const { isCut, ...output } = this.#output.read();
    return {
      value: said?.value,
      ...output,
      truncated: isCut || (said?.isCut ?? false),
      error: said && !(isFull && this.#saved) ? said.error : describeStop(said ? memoryFull : end, facts),
    };
  }

  /** Gives up a worker whose guest cannot go on. The next action gets another one, with what was saved before. */
  #leave(): void {
    if (this.#place) void this.#options.pool.discard(this.#place.worker);
    this.#place = undefined;
    if (!this.#saved) this.#isLost = true;
  }

  /** The place of the context, a new one where the last was lost. */
  async #stand(): Promise<Place> {
    if (this.#isClosed) throw new BiplaneError("NOT_SUPPORTED", "The context is closed");
    if (this.#place?.worker.isAlive) return this.#place;
    if (this.#place) this.#leave();
    const place = await this.#enter();
    if (await this.#fill(place, this.#saved)) return place;
    if (!this.#saved) throw new BiplaneError("INTERNAL", "Python could not be started again");
    // Code can spoil what is saved, though only its own.
    this.#saved = undefined;
    this.#isLost = true;
    return this.#stand();
  }

  async #enter(): Promise<Place> {
    const place = { ...(await this.#options.pool.take(this.#memoryBytes)), isBusy: false };
    this.#place = place;
    // It may have been closed meanwhile, and then nobody else would give the worker back.
    if (this.#isClosed) await this.#options.pool.discard(place.worker);
    return place;
  }

  /** Gives a new interpreter its tools or what was saved. False where it cannot begin with that. */
  async #fill({ worker }: Place, saved: SavedState | undefined): Promise<boolean> {
    const { seed, keepsState } = this.#options;
    const { valueBytes, stackBytes } = this.#limits;
    const callBytes = Math.floor(this.#memoryBytes / 16);
    const recursion = Math.min(20_000, Math.max(100, Math.floor(stackBytes / frameBytes)));
    const settings = { call_bytes: callBytes, value_bytes: valueBytes, recursion, seed: seed ?? null };
    const order = saved
      ? JSON.stringify({ kind: "resume", ...settings })
      : `${JSON.stringify({ kind: "open", ...settings }).slice(0, -1)},"tools":${this.#tools}}`;
    const opening: Opening = { output: this.#shared, seed, saved, isSaving: keepsState, callBytes };
    const answer = (): string => '{"error":"there is nothing to call yet","code":"INTERNAL"}';
    const end = await worker.send({ kind: "open", order, opening }, { cpuMs: openingMs, signal: undefined, answer });
    if (end.kind === "ended" && end.ending.kind === "answered" && end.ending.text === "{}") return true;
    await this.#options.pool.discard(worker);
    this.#place = undefined;
    return false;
  }

  /** What was saved after the last message. */
  async #settled(): Promise<SavedState | undefined> {
    this.#saved = (await this.#place?.worker.rest()) ?? this.#saved;
    return this.#saved;
  }

  #fit({ fingerprint }: Prepared): SnapshotFit {
    const tools = createHash("sha256").update(this.#tools).digest("hex");
    return { image: fingerprint, tools, mostBytes: this.#memoryBytes + this.#options.scratchBytes * 2 + megabyte };
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => {});
    return result;
  }
}

interface Place {
  readonly worker: WorkerHandle;
  readonly prepared: Prepared;
  isBusy: boolean;
}

const memoryFull: ErrandEnd = { kind: "crashed" };
const megabyte = 1024 * 1024;
/** What the interpreter itself needs, and a little to work with. */
const leastMemoryBytes = 24 * megabyte;
const openingMs = 20_000;
/** A frame of Python takes about as much of its memory. */
const frameBytes = 256;
