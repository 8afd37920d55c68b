import { EvalFlags, JSException, QuickJS } from "quickjs-wasi";
import type { JSValueHandle } from "quickjs-wasi";
import type { CodeError, CodeLimits, CodeResult } from "../engine.ts";
import { machineOptions } from "./base.ts";
import type { Base, Image, Landmarks } from "./base.ts";
import { failure, limitError } from "./endings.ts";
import { applyPages, diffPages, memoryLength } from "../memory-pages.ts";
import type { Output } from "../output.ts";
import { asFunction, keepDeclarations, withoutTypes } from "./prepare-source.ts";
import { readError, readValue } from "./read-result.ts";
import type { ToolGuide } from "./toolset.ts";

/** How far an action is, apart from what lies in the machine's memory. */
export interface Progress {
  readonly limits: CodeLimits;
  readonly output: Output;
  calls: number;
  /** Calls made and not yet answered. */
  open: number;
  cpuMs: number;
  /** What the prelude says the code came to. */
  reply: string | undefined;
}

/** What the guest needs of whoever runs it. */
export interface GuestHost {
  readonly guide: ToolGuide;
  /** Makes a call. Gives the reply at once, or undefined where `settle` will bring it. */
  call(id: number, tool: string, input: string): string | undefined;
  /** Whether the action must stop, whatever its own limits say. */
  isStopped(): boolean;
}

/** Where an action stands after the guest has done all it can for now. A broken machine must not be used again. */
export type Standing = "waiting" | { readonly result: CodeResult; readonly isBroken: boolean };

const actionFile = "action.js";

/** One QuickJS machine: a context while it runs. */
export class Guest {
  readonly base: Base;
  readonly #machine: QuickJS;
  #landmarks: Landmarks;
  #settle: JSValueHandle;
  #watch: JSValueHandle;
  #nothing: JSValueHandle;
  #host: GuestHost | undefined;
  #progress: Progress | undefined;
  /** The last reply that went in, which is the host's to free. */
  #lastReply: JSValueHandle | undefined;
  /** When the guest began to compute; what the host does meanwhile moves it forward. */
  #since = 0;
  #passed: string | undefined;

  static async create(base: Base, limits: CodeLimits, image: Image | undefined): Promise<Guest> {
    let guest: Guest | undefined;
    const snapshot = { memory: base.memory, ...base.landmarks, extensions: [] };
    const machine = await QuickJS.restore(
      snapshot,
      machineOptions(base.module, () => guest?.mustStop() ?? false),
    );
    guest = new Guest(machine, base);
    guest.#load(limits, image);
    return guest;
  }

  private constructor(machine: QuickJS, base: Base) {
    this.#machine = machine;
    this.base = base;
    this.#landmarks = base.landmarks;
    this.#settle = machine.importHandle(base.landmarks.settle);
    this.#watch = machine.importHandle(base.landmarks.watch);
    this.#nothing = machine.importHandle(base.landmarks.nothing);
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

  /** Makes the machine another context's. All of its memory is written anew: nothing of the last one stays. */
  reuse(limits: CodeLimits, image: Image | undefined): void {
    const memory = new Uint8Array(this.#machine._getMemory().buffer);
    memory.set(this.base.memory);
    memory.fill(0, this.base.memory.length);
    this.#load(limits, image);
  }

  #load({ memoryBytes, stackBytes }: CodeLimits, image: Image | undefined): void {
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

  /** The memory the machine takes. */
  get bytes(): number {
    return this.#machine._getMemory().buffer.byteLength;
  }

  /** Begins an action: JavaScript as it stands; with a `return` at the top as a function; else as TypeScript. */
  async start(code: string, progress: Progress, host: GuestHost): Promise<Standing> {
    this.resume(progress, host);
    if (Buffer.byteLength(code) > progress.limits.sourceBytes) {
      this.#passed = `The code is longer than ${progress.limits.sourceBytes} bytes`;
      return this.#limited();
    }
    const standing = this.#begin(await keepDeclarations(code));
    if (!isMisspelt(standing)) return standing;
    const stripped = await withoutTypes(code);
    if (stripped === undefined || stripped === code) return standing;
    const second = this.#begin(await keepDeclarations(stripped));
    return isMisspelt(second) ? standing : second;
  }

  /** Takes up an action that began in another machine with the same memory. */
  resume(progress: Progress, host: GuestHost): void {
    this.#progress = progress;
    this.#host = host;
    this.#passed = undefined;
  }

  /** Brings the reply to a call. */
  settle(id: number, reply: string): Standing {
    if (this.#progress) this.#progress.open--;
    return this.#compute(() => {
      const machine = this.#machine;
      const number = machine.newString(String(id));
      const text = this.#replyHandle(reply);
      machine.callFunction(this.#settle, this.#nothing, number, text).dispose();
      number.dispose();
      text.dispose();
    });
  }

  /** What an action came to that is stopped while it waits. */
  stopped(): Standing {
    return this.#limited();
  }

  /** The context as it stands, while no code runs. */
  image(): Image {
    const pages = diffPages(new Uint8Array(this.#machine._getMemory().buffer), this.base.memory);
    return { landmarks: this.#landmarks, pages };
  }

  /** Polled by QuickJS while code runs. */
  mustStop(): boolean {
    const progress = this.#progress;
    if (!progress || this.#passed !== undefined) return this.#passed !== undefined;
    if (progress.cpuMs + performance.now() - this.#since > progress.limits.cpuMs)
      this.#passed = tooLong(progress.limits);
    return this.#passed !== undefined || (this.#host?.isStopped() ?? false);
  }

  #begin(source: string): Standing {
    return this.#compute(() => {
      const machine = this.#machine;
      const promise = this.#evaluate(source);
      const valueBytes = machine.newNumber(this.#progress?.limits.valueBytes ?? 0);
      machine.callFunction(this.#watch, this.#nothing, promise, valueBytes).dispose();
      promise.dispose();
      valueBytes.dispose();
    });
  }

  /** Lets the guest compute until there is nothing left to do for now. */
  #compute(work: () => void): Standing {
    this.#since = performance.now();
    try {
      work();
      this.#drain();
    } catch (error) {
      const mistake = error instanceof JSException ? this.#syntaxError(error) : undefined;
      if (mistake) return { result: this.#result(mistake), isBroken: false };
      // Nothing but a trap of the machine itself comes here: its stack or its memory was not enough.
      this.#passed ??= "The code needs more stack or memory than it may have";
    } finally {
      if (this.#progress) this.#progress.cpuMs += performance.now() - this.#since;
    }
    return this.#standing();
  }

  #drain(): void {
    const exports = this.#machine._getExports();
    while (exports.qjs_is_job_pending() && !this.mustStop()) {
      if (exports.qjs_execute_pending_job() < 0) this.#machine.getException().dispose();
    }
  }

  #standing(): Standing {
    if (this.#passed !== undefined || this.#host?.isStopped()) return this.#limited();
    const { reply, open } = this.#progress as Progress;
    if (open > 0) return "waiting";
    const error = reply === undefined ? stuck : reply.startsWith("!") ? readError(reply.slice(1)) : undefined;
    return { result: this.#result(error, error ? undefined : reply), isBroken: error?.kind === "limit" };
  }

  #limited(): Standing {
    const message = this.#passed ?? "The action was stopped";
    const error = limitError(this.#passed === undefined ? "cancelled" : "limit", message);
    return { result: this.#result(error), isBroken: true };
  }

  #result(error: CodeError | undefined, reply?: string): CodeResult {
    const { output } = this.#progress as Progress;
    const { value, isCut } = readValue(reply);
    return { value, stdout: output.stdout, stderr: output.stderr, truncated: output.isCut || isCut, error };
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
    if (this.#passed !== undefined || name !== "SyntaxError") return undefined;
    return { kind: "syntax", name, message, code: undefined, trace: stack?.trimEnd() };
  }

  #call(tool: JSValueHandle | undefined, input: JSValueHandle | undefined): string {
    const progress = this.#progress;
    if (!progress || !this.#host || !tool || !input) return failure("CANCELLED", "No action is under way");
    if (progress.calls >= progress.limits.calls) {
      this.#passed ??= `The code made more than ${progress.limits.calls} calls`;
      return failure("CANCELLED", this.#passed);
    }
    const id = ++progress.calls;
    const before = performance.now();
    const reply = this.#host.call(id, tool.toString(), input.toString());
    this.#since += performance.now() - before;
    if (reply !== undefined) return reply;
    progress.open++;
    return `#${id}`;
  }

  #answer(question: JSValueHandle | undefined, about: JSValueHandle | undefined): string {
    return JSON.stringify(this.#host?.guide.answer(question?.toString() ?? "", about?.toString() ?? "") ?? null);
  }

  /** No error of the host ever enters the guest: it would bring the host's stack along. */
  #text(make: () => string): JSValueHandle {
    try {
      const reply = make();
      this.#lastReply?.dispose();
      this.#lastReply = this.#replyHandle(reply);
      return this.#lastReply;
    } catch {
      throw "The host could not answer"; // oxlint-disable-line no-throw-literal, only-throw-error
    }
  }

  #replyHandle(reply: string): JSValueHandle {
    const most = (this.#progress?.limits.memoryBytes ?? 0) / 4;
    const isTooLong = reply.length > most;
    return this.#machine.newString(
      isTooLong ? failure("EXECUTION_ERROR", "The result is too large for the code's memory") : reply,
    );
  }

  dispose(): void {
    this.#machine.dispose();
  }
}

function isMisspelt(standing: Standing): boolean {
  return standing !== "waiting" && standing.result.error?.kind === "syntax";
}

const stuck: CodeError = {
  kind: "thrown",
  name: "Error",
  message: "The code waits for a promise that nothing can settle any more",
  code: undefined,
  trace: undefined,
};

function tooLong({ cpuMs }: CodeLimits): string {
  return `The code computed for more than ${cpuMs} ms`;
}
