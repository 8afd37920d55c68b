import { BiplaneError } from "@biplane/core";
import type { Share, Shares } from "@biplane/core/internal";
import { codeFailure, isTimeout } from "../code-error.ts";
import { notKept } from "../code-shares.ts";
import type { CodeContext, CodeError, CodeHost, CodeLimits, CodeResult } from "../engine.ts";
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
  image: ContextImage | undefined;
}

/** The result of an action and the new state of its context. No image means that the state did not change. */
export interface FinishedAction {
  readonly result: CodeResult;
  readonly image: ContextImage | undefined;
}

interface JavascriptContextOptions extends Omit<ContextState, "image"> {
  readonly runner: ActionRunner;
  readonly from: Uint8Array | undefined;
  readonly onClosed: () => void;
}

/** Runs one action at a time. An action that exceeds a limit leaves the context as it was. */
export class JavascriptContext implements CodeContext {
  readonly #runner: ActionRunner;
  readonly #onClosed: () => void;
  readonly #state: ContextState;
  readonly #share: Share;
  readonly #closing = new AbortController();
  #queue: Promise<unknown> = Promise.resolve();

  constructor({ runner, from, onClosed, ...state }: JavascriptContextOptions) {
    this.#runner = runner;
    this.#onClosed = onClosed;
    this.#state = { ...state, image: undefined };
    this.#share = state.keptBytes.open(state.caller);
    const fault = from && this.#keep(readSnapshot(from, state.bindings));
    if (fault) throw fault;
  }

  run(code: string, host: CodeHost): Promise<CodeResult> {
    return this.#enqueue(() => this.#run(code, host));
  }

  snapshot(): Promise<Uint8Array> {
    return this.#enqueue(async () => writeSnapshot(this.#state.image, this.#state.bindings));
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(new BiplaneError("CANCELLED", "The context was closed."));
    await this.#queue;
    this.#runner.forget(this.#state);
    this.#keep(undefined);
    this.#onClosed();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #run(code: string, host: CodeHost): Promise<CodeResult> {
    const signal = AbortSignal.any([host.signal, this.#closing.signal]);
    if (signal.aborted) return codeFailure(reasonOf(signal));
    const call: CodeHost["call"] = (...args) => host.call(...args);
    const { result, image } = await this.#runner.run(this.#state, code, { call, signal });
    if (signal.aborted && result.error) return { ...result, value: undefined, error: reasonOf(signal) };
    const fault = image && this.#keep(image);
    if (!fault) return result;
    this.#runner.forget(this.#state);
    return { ...result, value: undefined, error: limitError("limit", notKept(fault)) };
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  /** Returns the error if the state is more than the caller can keep. Then the context keeps its last state. */
  #keep(image: ContextImage | undefined): BiplaneError | undefined {
    const fault = this.#share.resize(image?.pages.length ?? 0);
    if (!fault) this.#state.image = image;
    return fault;
  }
}

/** Why an action was stopped, which replaces its own error. */
function reasonOf({ reason }: AbortSignal): CodeError {
  const message = reason instanceof Error ? reason.message : "The action was cancelled.";
  return limitError(isTimeout(reason) ? "limit" : "cancelled", message);
}
