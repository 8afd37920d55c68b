import { EvalFlags, JSException, QuickJS } from "quickjs-wasi";
import type { JSValueHandle } from "quickjs-wasi";
import { codeError } from "../code-error.ts";
import type { CodeError, CodeLimits } from "../engine.ts";
import { machineOptions } from "./base.ts";
import type { Base, ContextImage } from "./base.ts";
import type { Landmarks } from "./snapshot.ts";
import { callFault } from "./call-fault.ts";
import { cpuExceeded, failedReply, fittingReply, limitError } from "./errors.ts";
import { readReply } from "./guest-result.ts";
import type { GuestResult } from "./guest-result.ts";
import { applyPages, diffPages, memoryLength } from "../memory-pages.ts";
import type { Output } from "../output.ts";
import { ComputedTime } from "../computed-time.ts";
import { asFunction, keepDeclarations, withoutTypes } from "./prepare-source.ts";
import type { ToolGuide } from "./toolset.ts";

/** The progress of an action outside the machine's memory. */
export interface GuestProgress {
  readonly limits: CodeLimits;
  readonly output: Output;
  calls: number;
  /** Calls without a reply yet, with the length of their arguments. */
  readonly open: Map<number, number>;
  cpuMs: number;
  /** The encoded result, once the prelude has reported it. */
  reply: string | undefined;
}

/** What the guest needs from the thread that runs it. */
export interface GuestHost {
  readonly guide: ToolGuide;
  /** Calls a tool. Returns the reply, or undefined if `settle` delivers it later. */
  call(id: number, tool: string, input: string): string | undefined;
  /** True once the action was cancelled. */
  isStopped(): boolean;
  /** Called now and then while the code computes. */
  whileComputing?(): void;
}

/** The state of an action when the guest has nothing left to compute. A broken machine must not be reused. */
export type RunState = "waiting" | { readonly result: GuestResult; readonly isBroken: boolean };

const actionFile = "action.js";

/** One QuickJS machine, which holds one context. */
export class Guest {
  readonly base: Base;
  readonly #machine: QuickJS;
  #landmarks!: Landmarks;
  #settle!: JSValueHandle;
  #watch!: JSValueHandle;
  #nothing!: JSValueHandle;
  #host: GuestHost | undefined;
  #progress: GuestProgress | undefined;
  /** The last reply handle, which the host must free. */
  #lastReply: JSValueHandle | undefined;
  readonly #time = new ComputedTime();
  #exceeded: string | undefined;

  static async create(base: Base, limits: CodeLimits, image: ContextImage | undefined): Promise<Guest> {
    let guest: Guest | undefined;
    const snapshot = { memory: base.memory, ...base.landmarks, extensions: [] };
    const machine = await QuickJS.restore(
      snapshot,
      machineOptions(base.module, () => guest?.interrupt() ?? false),
    );
    guest = new Guest(machine, base);
    guest.#load(limits, image);
    return guest;
  }

  private constructor(machine: QuickJS, base: Base) {
    this.#machine = machine;
    this.base = base;
    machine.registerHostCallback("call", (tool, input) => this.#text(() => this.#call(tool, input)));
    machine.registerHostCallback("meta", (question, about) => this.#text(() => this.#answer(question, about)));
    machine.registerHostCallback("print", (stream, text) => {
      if (stream && text) this.#progress?.output.write(stream.toString(), text.toString());
      return this.#nothing;
    });
    machine.registerHostCallback("done", (reply) => {
      if (this.#progress && reply) this.#progress.reply ??= reply.toString();
      return this.#nothing;
    });
  }

  /** Gives the machine to another context. All memory is overwritten, so nothing of the last context remains. */
  reuse(limits: CodeLimits, image: ContextImage | undefined): void {
    const memory = new Uint8Array(this.#machine._getMemory().buffer);
    memory.set(this.base.memory);
    memory.fill(0, this.base.memory.length);
    this.#load(limits, image);
  }

  #load({ memoryBytes, stackBytes }: CodeLimits, image: ContextImage | undefined): void {
    const machine = this.#machine;
    const exports = machine._getExports();
    if (image) {
      const missing = memoryLength(image.pages) - exports.memory.buffer.byteLength;
      if (missing > 0) exports.memory.grow(missing / 65_536);
      applyPages(image.pages, new Uint8Array(exports.memory.buffer));
    }
    const landmarks = (this.#landmarks = image?.landmarks ?? this.base.landmarks);
    exports.qjs_set_runtime_and_context(landmarks.runtimePtr, landmarks.contextPtr);
    exports.__stack_pointer.value = landmarks.stackPointer;
    exports.qjs_set_memory_limit(memoryBytes);
    exports.qjs_set_max_stack_size(stackBytes);
    this.#settle = machine.importHandle(landmarks.settle);
    this.#watch = machine.importHandle(landmarks.watch);
    this.#nothing = machine.importHandle(landmarks.nothing);
    this.#lastReply = undefined;
    this.#progress = undefined;
    this.#host = undefined;
  }

  /** The machine's memory in bytes. */
  get bytes(): number {
    return this.#machine._getMemory().buffer.byteLength;
  }

  /**
   * Starts an action. Tries the code as JavaScript, then as a function body (top-level `return`), then as TypeScript.
   */
  async start(code: string, progress: GuestProgress, host: GuestHost): Promise<RunState> {
    this.resume(progress, host);
    if (Buffer.byteLength(code) > progress.limits.sourceBytes) {
      this.#exceeded = `The code is longer than ${progress.limits.sourceBytes} bytes.`;
      return this.stopped();
    }
    const state = this.#begin(await keepDeclarations(code));
    if (!isSyntaxError(state)) return state;
    const stripped = await withoutTypes(code);
    if (stripped === undefined || stripped === code) return state;
    const second = this.#begin(await keepDeclarations(stripped));
    return isSyntaxError(second) ? state : second;
  }

  /** Continues an action that started in another machine with the same memory. */
  resume(progress: GuestProgress, host: GuestHost): void {
    this.#progress = progress;
    this.#host = host;
    this.#exceeded = undefined;
  }

  /** Delivers the reply to a call. Ignored if the call is not open. */
  settle(id: number, reply: string): RunState {
    if (!this.#progress?.open.delete(id)) return this.#currentState();
    return this.#compute(() => {
      const machine = this.#machine;
      const number = machine.newString(String(id));
      const text = this.#replyHandle(reply);
      machine.callFunction(this.#settle, this.#nothing, number, text).dispose();
      number.dispose();
      text.dispose();
    });
  }

  /** The current state of the context. Call it only while no code runs. */
  image(): ContextImage {
    const pages = diffPages(new Uint8Array(this.#machine._getMemory().buffer), this.base.memory);
    return { landmarks: this.#landmarks, pages };
  }

  /** Polled by QuickJS while code runs. True stops it. */
  interrupt(): boolean {
    this.#host?.whileComputing?.();
    return this.#mustStop();
  }

  #mustStop(): boolean {
    const progress = this.#progress;
    if (!progress || this.#exceeded !== undefined) return this.#exceeded !== undefined;
    const { cpuMs } = progress.limits;
    const leftMs = cpuMs - progress.cpuMs;
    if (this.#time.passedMs > leftMs && this.#time.ms > leftMs) this.#exceeded = cpuExceeded(cpuMs);
    return this.#exceeded !== undefined || (this.#host?.isStopped() ?? false);
  }

  #begin(source: string): RunState {
    return this.#compute(() => {
      const machine = this.#machine;
      const promise = this.#evaluate(source);
      const valueBytes = machine.newNumber(this.#progress?.limits.valueBytes ?? 0);
      machine.callFunction(this.#watch, this.#nothing, promise, valueBytes).dispose();
      promise.dispose();
      valueBytes.dispose();
    });
  }

  /** Runs the guest until it finishes or waits for replies. */
  #compute(work: () => void): RunState {
    this.#time.start();
    try {
      work();
      this.#drain();
    } catch (error) {
      const mistake = error instanceof JSException ? this.#syntaxError(error) : undefined;
      if (mistake) return { result: this.#result(mistake), isBroken: false };
      // Only a trap of the machine gets here: it ran out of stack or memory.
      this.#exceeded ??= "The code exceeded its stack or memory limit.";
    } finally {
      if (this.#progress) this.#progress.cpuMs += this.#time.ms;
    }
    return this.#currentState();
  }

  #drain(): void {
    const exports = this.#machine._getExports();
    while (exports.qjs_is_job_pending() && !this.#mustStop()) {
      if (exports.qjs_execute_pending_job() < 0) this.#machine.getException().dispose();
    }
  }

  #currentState(): RunState {
    if (this.#exceeded !== undefined || this.#host?.isStopped()) return this.stopped();
    const { reply, open, limits } = this.#progress as GuestProgress;
    if (open.size > 0) return "waiting";
    const { json, isCut = false, error } = reply === undefined ? { error: deadlocked } : readReply(reply, limits);
    return { result: this.#result(error, { json, isCut }), isBroken: error?.kind === "limit" };
  }

  /** The result of an action that was stopped, also while it waited. */
  stopped(): RunState {
    const message = this.#exceeded ?? "The action was stopped.";
    const error = limitError(this.#exceeded === undefined ? "cancelled" : "limit", message);
    return { result: this.#result(error), isBroken: true };
  }

  #result(error: CodeError | undefined, value: { json?: string | undefined; isCut?: boolean } = {}): GuestResult {
    const { stdout, stderr, isCut } = (this.#progress as GuestProgress).output;
    return { json: value.json, stdout, stderr, truncated: isCut || (value.isCut ?? false), error };
  }

  #evaluate(source: string): JSValueHandle {
    try {
      return this.#machine.evalCode(source, actionFile, EvalFlags.ASYNC);
    } catch (error) {
      if (!(error instanceof JSException) || !error.message.includes("return not in a function")) throw error;
      error.dispose();
      return this.#machine.evalCode(asFunction(source), actionFile, EvalFlags.ASYNC);
    }
  }

  #syntaxError(error: JSException): CodeError | undefined {
    const { name, message, stack } = error;
    error.dispose();
    if (this.#exceeded !== undefined || name !== "SyntaxError") return undefined;
    return { kind: "syntax", name, message, code: undefined, trace: stack?.trimEnd() };
  }

  #call(tool: JSValueHandle | undefined, input: JSValueHandle | undefined): string {
    const progress = this.#progress;
    if (!progress || !this.#host || !tool || !input) return failedReply("CANCELLED", "No action is running.");
    if (progress.calls >= progress.limits.calls) {
      this.#exceeded ??= `The code made more than ${progress.limits.calls} tool calls.`;
      return failedReply("CANCELLED", this.#exceeded);
    }
    const [name, text] = [tool.toString(), input.toString()];
    const fault = callFault(name, text, { guide: this.#host.guide, open: progress.open });
    if (fault) return failedReply(fault.code, fault.message);
    const id = ++progress.calls;
    const host = this.#host;
    const reply = this.#time.without(() => host.call(id, name, text));
    if (reply !== undefined) return reply;
    progress.open.set(id, text.length);
    return `#${id}`;
  }

  #answer(question: JSValueHandle | undefined, about: JSValueHandle | undefined): string {
    return JSON.stringify(this.#host?.guide.answer(question?.toString() ?? "", about?.toString() ?? "") ?? null);
  }

  /** Hides host errors from the guest, because they carry the host's stack. */
  #text(make: () => string): JSValueHandle {
    try {
      const reply = make();
      this.#lastReply?.dispose();
      this.#lastReply = this.#replyHandle(reply);
      return this.#lastReply;
    } catch {
      throw "The host could not answer."; // oxlint-disable-line no-throw-literal, only-throw-error
    }
  }

  #replyHandle(reply: string): JSValueHandle {
    return this.#machine.newString(fittingReply(reply, this.#progress?.limits.memoryBytes ?? 0));
  }

  dispose(): void {
    this.#machine.dispose();
  }
}

function isSyntaxError(state: RunState): boolean {
  return state !== "waiting" && state.result.error?.kind === "syntax";
}

const deadlocked = codeError("thrown", "Error", "The code waits for a promise that can never settle.");
