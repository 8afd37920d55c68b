import { BiplaneError } from "@biplane/core";
import type { Share, Shares } from "@biplane/core/internal";
import { notKept } from "../code-shares.ts";
import type { CodeContext, CodeHost, CodeLimits, CodeResult } from "../engine.ts";
import type { ToolBindings } from "./engine.ts";
import { limitError } from "./errors.ts";
import type { ContextImage } from "./base.ts";
import { readSnapshot, writeSnapshot } from "./snapshot.ts";

/** Runs actions, in this thread or in workers. */
export interface ActionRunner {
  run(state: ContextState, code: string, host: CodeHost): Promise<FinishedAction>;
  /** Releases what it holds for a context. */
  forget(state: ContextState): void;
  close(): Promise<void>;
}

/** The part of a context that a runner needs. */
export interface ContextState {
  readonly bindings: ToolBindings;
  readonly limits: CodeLimits;
  readonly caller: string | undefined;
  /** Counts what the context and its waiting actions keep. */
  readonly keptBytes: Shares;
  /** The state after the last successful action. Undefined for a new context. */
  readonly image: ContextImage | undefined;
}

/** The result of an action and the new state of its context. No image means that the state did not change. */
export interface FinishedAction {
  readonly result: CodeResult;
  readonly image: ContextImage | undefined;
}

interface JavascriptContextOptions {
  readonly runner: ActionRunner;
  readonly bindings: ToolBindings;
  readonly limits: CodeLimits;
  readonly caller: string | undefined;
  readonly keptBytes: Shares;
  readonly from: Uint8Array | undefined;
  readonly onClosed: () => void;
}

/** Runs one action at a time. An action that exceeds a limit leaves the context as it was. */
export class JavascriptContext implements CodeContext, ContextState {
  readonly bindings: ToolBindings;
  readonly limits: CodeLimits;
  readonly caller: string | undefined;
  readonly keptBytes: Shares;
  readonly #options: JavascriptContextOptions;
  readonly #share: Share;
  #image: ContextImage | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  #stop: ((reason: unknown) => void) | undefined;

  constructor(options: JavascriptContextOptions) {
    this.#options = options;
    this.bindings = options.bindings;
    this.limits = options.limits;
    this.caller = options.caller;
    this.keptBytes = options.keptBytes;
    this.#share = this.keptBytes.open(this.caller);
    const fault = options.from && this.#keep(readSnapshot(options.from, options.bindings));
    if (fault) throw fault;
  }

  get image(): ContextImage | undefined {
    return this.#image;
  }

  run(code: string, host: CodeHost): Promise<CodeResult> {
    const running = this.#queue.then(() => this.#run(code, host));
    this.#queue = running.catch(() => undefined);
    return running;
  }

  snapshot(): Promise<Uint8Array> {
    const taking = this.#queue.then(() => writeSnapshot(this.#image, this.bindings));
    this.#queue = taking.catch(() => undefined);
    return taking;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stop?.(closed());
    await this.#queue;
    this.#options.runner.forget(this);
    this.#keep(undefined);
    this.#options.onClosed();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #run(code: string, host: CodeHost): Promise<CodeResult> {
    const ending = new AbortController();
    const { signal } = ending;
    const onAbort = () => ending.abort(host.signal.reason);
    if (host.signal.aborted) onAbort();
    if (this.#isClosed) ending.abort(closed());
    if (signal.aborted) return withReason(nothing, signal);
    host.signal.addEventListener("abort", onAbort, { once: true });
    this.#stop = (reason) => ending.abort(reason);
    const { result, image } = await this.#options.runner.run(this, code, {
      call: (...args) => host.call(...args),
      signal,
    });
    host.signal.removeEventListener("abort", onAbort);
    this.#stop = undefined;
    if (signal.aborted && result.error) return withReason(result, signal);
    const fault = image && this.#keep(image);
    if (!fault) return result;
    this.#options.runner.forget(this);
    return { ...result, value: undefined, error: limitError("limit", notKept(fault)) };
  }

  /** Returns the error if the state is more than the caller can keep. Then the context keeps its last state. */
  #keep(image: ContextImage | undefined): BiplaneError | undefined {
    const fault = this.#share.resize(image?.pages.length ?? 0);
    if (!fault) this.#image = image;
    return fault;
  }
}

function closed(): BiplaneError {
  return new BiplaneError("CANCELLED", "The context was closed.");
}

const nothing: CodeResult = { value: undefined, stdout: "", stderr: "", truncated: false, error: undefined };

/** Replaces the error of a stopped action with the reason for the stop. */
function withReason(result: CodeResult, { reason }: AbortSignal): CodeResult {
  const isLate = reason instanceof BiplaneError && reason.code === "TIMEOUT";
  const message = reason instanceof Error ? reason.message : "The action was cancelled.";
  return { ...result, value: undefined, error: limitError(isLate ? "limit" : "cancelled", message) };
}
