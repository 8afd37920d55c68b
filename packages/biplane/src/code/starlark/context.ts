import { BiplaneError } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";
import type { Share, Shares } from "@biplane/core/internal";
import { StarlarkError } from "@biplane/starlark";
import type { StarlarkPool } from "@biplane/starlark";
import type { Tool } from "@biplane/core";
import { ActionTurn } from "../action-turn.ts";
import { codeError, isTimeout } from "../code-error.ts";
import { notKept } from "../code-shares.ts";
import type { CodeContext, CodeError, CodeHost, CodeLimits, CodeResult } from "../engine.ts";
import { callBounds } from "../json-bounds.ts";
import { Output } from "../output.ts";
import type { CallerTurns } from "../caller-turns.ts";
import { toolFunctions } from "./tool-functions.ts";

interface StarlarkContextOptions {
  readonly pool: StarlarkPool;
  readonly turns: CallerTurns;
  readonly tools: readonly Tool[];
  readonly limits: CodeLimits;
  readonly from: Uint8Array | undefined;
  readonly caller: string | undefined;
  readonly keptBytes: Shares;
}

/** A context for Starlark code. It keeps data between actions, but not functions. All code is handled in a worker. */
export class StarlarkContext implements CodeContext {
  readonly #options: StarlarkContextOptions;
  readonly #share: Share;
  readonly #closing = new AbortController();
  /** The data of earlier actions, as the worker encoded it. */
  #state: Uint8Array | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: StarlarkContextOptions) {
    this.#options = options;
    this.#share = options.keptBytes.open(options.caller);
    const fault = options.from && this.#keep(checkedState(options.from));
    if (fault) throw fault;
  }

  run(code: string, host: CodeHost): Promise<CodeResult> {
    const running = this.#queue.then(() => this.#run(code, host));
    this.#queue = running.catch(() => undefined);
    return running;
  }

  async snapshot(): Promise<Uint8Array> {
    await this.#queue;
    return this.#state ?? new Uint8Array();
  }

  async close(): Promise<void> {
    this.#closing.abort(new BiplaneError("CANCELLED", "The context was closed."));
    await this.#queue;
    this.#keep(undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #run(code: string, host: CodeHost): Promise<CodeResult> {
    const { turns, limits, caller, keptBytes } = this.#options;
    const output = new Output(limits.outputBytes);
    const signal = AbortSignal.any([host.signal, this.#closing.signal]);
    const finish = (value: unknown, error?: CodeError, isCut = false): CodeResult => {
      return { value, stdout: output.stdout, stderr: "", truncated: output.isCut || isCut, error };
    };
    if (Buffer.byteLength(code) > limits.sourceBytes)
      return finish(undefined, limitReached(`The code is longer than ${limits.sourceBytes} bytes.`));
    const share = keptBytes.open(caller);
    const turn = new ActionTurn({ turns, caller, signal, share, workerBytes: limits.memoryBytes });
    try {
      await turn.begin();
      const { json, isCut, state } = await this.#evaluate(code, { output, signal, turn, host });
      const fault = this.#keep(state);
      if (fault) return finish(undefined, limitReached(notKept(fault)));
      if (isCut) return finish(`${json}… [the result was truncated]`, undefined, true);
      return finish((JSON.parse(json) as unknown) ?? undefined);
    } catch (error) {
      return finish(undefined, describe(error, signal));
    } finally {
      turn.end();
    }
  }

  #evaluate(
    code: string,
    { output, signal, turn, host }: { output: Output; signal: AbortSignal; turn: ActionTurn; host: CodeHost },
  ) {
    const { pool, tools, limits } = this.#options;
    return pool.evaluate(code, {
      file: "action.star",
      state: this.#state,
      functions: toolFunctions(tools, { limits, host, turn }),
      print: (text) => output.write("out", text),
      bounds: {
        resultBytes: limits.valueBytes,
        callBytes: callBounds.length,
        callParts: callBounds.parts,
        callDepth: callBounds.depth,
        stateBytes: limits.memoryBytes / 8, // decoded, it takes up to ten times as much
        printBytes: limits.outputBytes,
      },
      limits: {
        timeMs: maxTimeMs, // the caller enforces the wall-clock limit
        steps: limits.cpuMs * stepsPerMs,
        memoryBytes: limits.memoryBytes,
        outputBytes: limits.outputBytes * 64, // more than the limit is truncated; far more ends the action
      },
      computeMs: limits.cpuMs * 2 + 1000,
      signal,
      dialect: { while: true, topLevelControl: true, topLevelReturn: true, globalReassign: true, recursion: true },
    });
  }

  /** Returns the error if the state is more than the caller can keep. Then the context keeps its last state. */
  #keep(state: Uint8Array | undefined): BiplaneError | undefined {
    const fault = this.#share.resize(state?.byteLength ?? 0);
    if (!fault) this.#state = state;
    return fault;
  }
}

/** Steps per millisecond on a slow machine. Counting steps makes the limit the same on all machines. */
const stepsPerMs = 20_000;
const maxTimeMs = 2 ** 31 - 1000;

function limitReached(message: string): CodeError {
  return codeError("limit", "StarlarkError", message);
}

function describe(error: unknown, signal: AbortSignal): CodeError {
  if (signal.aborted) {
    const kind = isTimeout(signal.reason) ? "limit" : "cancelled";
    return codeError(kind, kind, messageOf(signal.reason));
  }
  if (!(error instanceof StarlarkError)) throw error;
  const { cause, code } = error;
  return {
    kind: code === "syntax" || code === "limit" ? code : "thrown",
    name: "StarlarkError",
    message: cause instanceof BiplaneError ? cause.message : error.message,
    code: cause instanceof BiplaneError ? cause.code : undefined,
    trace: error.frames.length > 0 ? error.traceback : undefined,
  };
}

/** Only its beginning is checked here. The worker checks the rest when it decodes it. */
function checkedState(from: Uint8Array): Uint8Array | undefined {
  if (from.byteLength === 0) return undefined;
  if (
    Buffer.from(from.buffer, from.byteOffset, from.byteLength).toString("latin1", 0, stateStart.length) === stateStart
  )
    return from;
  throw new BiplaneError("INVALID_INPUT", "This is not a snapshot of a Starlark context.");
}

const stateStart = '{"format":"starlark-state-1"';
