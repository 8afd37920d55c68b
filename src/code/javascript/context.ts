import { BiplaneError } from "../../errors.ts";
import type { CodeContext, CodeHost, CodeLimits, CodeResult } from "../engine.ts";
import type { Ground } from "./engine.ts";
import { limitError } from "./endings.ts";
import type { Image } from "./base.ts";
import { readSnapshot, writeSnapshot } from "./snapshot.ts";

/** Runs actions, in this thread or in another. */
export interface Runner {
  run(place: Place, code: string, host: CodeHost): Promise<Finished>;
  /** Lets go of what it keeps for a context. */
  forget(place: Place): void;
  close(): Promise<void>;
}

/** A context as a runner sees it. */
export interface Place {
  readonly ground: Ground;
  readonly limits: CodeLimits;
  /** How the last action that went well left it; undefined while it is fresh. */
  readonly image: Image | undefined;
}

/** An action's end, and how it leaves its context: undefined where the context stays as it was before. */
export interface Finished {
  readonly result: CodeResult;
  readonly image: Image | undefined;
}

interface JavascriptContextOptions {
  readonly runner: Runner;
  readonly ground: Ground;
  readonly limits: CodeLimits;
  /** What all contexts of an engine keep. */
  readonly account: { readonly most: number; bytes: number };
  readonly from: Uint8Array | undefined;
  readonly onClosed: () => void;
}

/** A context: one action at a time, each of which leaves it changed or, where it passed a limit, as it was. */
export class JavascriptContext implements CodeContext, Place {
  readonly ground: Ground;
  readonly limits: CodeLimits;
  readonly #options: JavascriptContextOptions;
  #image: Image | undefined;
  #line: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  #stop: ((reason: unknown) => void) | undefined;

  constructor(options: JavascriptContextOptions) {
    this.#options = options;
    this.ground = options.ground;
    this.limits = options.limits;
    if (options.from) this.#keep(readSnapshot(options.from, options.ground));
  }

  get image(): Image | undefined {
    return this.#image;
  }

  run(code: string, host: CodeHost): Promise<CodeResult> {
    const running = this.#line.then(() => this.#run(code, host));
    this.#line = running.catch(() => undefined);
    return running;
  }

  snapshot(): Promise<Uint8Array> {
    const taking = this.#line.then(() => writeSnapshot(this.#image, this.ground));
    this.#line = taking.catch(() => undefined);
    return taking;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stop?.(closed());
    await this.#line;
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
    const { result, image } = await this.#options.runner.run(this, code, { call: (...of) => host.call(...of), signal });
    host.signal.removeEventListener("abort", onAbort);
    this.#stop = undefined;
    if (signal.aborted && result.error) return withReason(result, signal);
    if (image && !this.#fits(image)) {
      this.#options.runner.forget(this);
      const { most } = this.#options.account;
      return { ...result, error: limitError("limit", `All contexts together would keep more than ${most} bytes`) };
    }
    if (image) this.#keep(image);
    return result;
  }

  #fits({ pages }: Image): boolean {
    const { account } = this.#options;
    return account.bytes - (this.#image?.pages.length ?? 0) + pages.length <= account.most;
  }

  #keep(image: Image | undefined): void {
    this.#options.account.bytes += (image?.pages.length ?? 0) - (this.#image?.pages.length ?? 0);
    this.#image = image;
  }
}

function closed(): BiplaneError {
  return new BiplaneError("CANCELLED", "The context was closed");
}

const nothing: CodeResult = { value: undefined, stdout: "", stderr: "", truncated: false, error: undefined };

/** An action that was stopped from outside says why. */
function withReason(result: CodeResult, { reason }: AbortSignal): CodeResult {
  const isLate = reason instanceof BiplaneError && reason.code === "TIMEOUT";
  const message = reason instanceof Error ? reason.message : "The action was cancelled";
  return { ...result, value: undefined, error: limitError(isLate ? "limit" : "cancelled", message) };
}
