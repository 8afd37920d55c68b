import { LiveCall } from "@biplane/core/internal";
import type { Outcome } from "@biplane/core/internal";
import { BiplaneError } from "@biplane/core";
import type { ErrorCode, Tool } from "@biplane/core";
import { callValue } from "./call-value.ts";
import type { CodeContext, CodeError, CodeHost } from "./engine.ts";
import type { JournalEntry } from "./journal.ts";
import { WallClock } from "./wall-clock.ts";

/** The outcome of one code action. */
export interface ActionReport {
  /** The last expression or the returned value. Null if there is none. */
  readonly result: unknown;
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
  readonly error: CodeError | null;
  /** The tool calls the code made, in order. */
  readonly calls: readonly InnerCall[];
}

/** One tool call made by code. */
export interface InnerCall {
  readonly tool: string;
  /** Omitted if it is longer than about 200 characters as JSON. */
  readonly input?: unknown;
  outcome: "waiting" | "done" | ErrorCode;
}

export interface ActionOptions {
  /** The `run_code` call. Calls made by the code inherit its caller, episode and session. */
  readonly outer: LiveCall;
  /** Runs a call through the pipeline. */
  readonly perform: (call: LiveCall) => Outcome | Promise<Outcome>;
  readonly find: (name: string) => Tool | undefined;
  /** Tools that only code can call, which `find` does not find. */
  readonly unlisted?: (name: string) => Tool | undefined;
  readonly wallMs: number;
  /** Receives errors that must not fail the action. */
  readonly report: (fault: unknown) => void;
  /** Records the action's calls in the store. */
  readonly entry?: JournalEntry | undefined;
}

/** Runs one action. Its tool calls pass the same pipeline as any call, in the caller's episode. */
export async function runAction(context: CodeContext, code: string, options: ActionOptions): Promise<ActionReport> {
  const { outer, wallMs, entry, report } = options;
  const ending = new AbortController();
  const onCancel = () => ending.abort(outer.stopped ?? new BiplaneError("CANCELLED", "The action was cancelled."));
  if (outer.signal.aborted) onCancel();
  outer.signal.addEventListener("abort", onCancel, { once: true });
  const onTimeout = () =>
    ending.abort(
      new BiplaneError(
        "TIMEOUT",
        `The action timed out after ${wallMs} ms. Raise the wallMs limit if it needs longer.`,
      ),
    );
  const clock = new WallClock(wallMs, onTimeout);
  let detaching: Promise<void> | undefined;
  outer.onClockPause = (isStill) => {
    if (!isStill) return clock.resume();
    clock.pause();
    void entry?.keep();
    detaching ??= outer.detach().catch(report); // a caller that supports tasks can disconnect meanwhile
  };
  const inner = new InnerCalls(options);
  try {
    const { value, error, ...printed } = await context.run(code, inner.host(ending.signal));
    return { result: value ?? null, ...printed, error: error ? truncated(error) : null, calls: inner.made };
  } finally {
    clock.stop();
    outer.onClockPause = undefined;
    outer.signal.removeEventListener("abort", onCancel);
    inner.cancel();
    await detaching; // otherwise the outcome could arrive before its task exists, and the task would never end
    await entry?.end();
  }
}

class InnerCalls {
  readonly made: InnerCall[] = [];
  readonly #options: ActionOptions;
  readonly #running = new Set<LiveCall>();
  #hasEnded = false;

  constructor(options: ActionOptions) {
    this.#options = options;
  }

  host(signal: AbortSignal): CodeHost {
    return {
      signal,
      call: (tool, input) => {
        if (this.#hasEnded || signal.aborted) throw new BiplaneError("CANCELLED", "The action has ended.");
        return this.#call(tool, input);
      },
    };
  }

  /** Cancels the calls that still run when the code has ended. */
  cancel(): void {
    this.#hasEnded = true;
    for (const call of this.#running) call.cancel("The code that made the call has ended.");
  }

  #call(tool: string, input: unknown): unknown {
    const { outer, perform, find, entry } = this.#options;
    const unlisted = this.#options.unlisted?.(tool);
    const { agent, principal, session, scope } = outer;
    const call = new LiveCall({
      tool,
      input,
      route: "code",
      unlisted,
      parent: outer,
      agent,
      principal,
      session,
      scope: scope && (() => scope),
      patienceMs: outer.request.patienceMs,
    });
    const isShort = roomAfter(input, maxInputLength) >= 0;
    const record: InnerCall = { tool, ...(isShort && { input }), outcome: "waiting" };
    this.made.push(record);
    entry?.note(this.made);
    const settle = (outcome: Outcome): unknown => {
      record.outcome =
        outcome.status === "done" ? "done" : outcome.status === "failed" ? outcome.error.code : "NOT_SUPPORTED";
      entry?.note(this.made);
      return callValue(outcome, { name: tool, tool: unlisted ?? find(tool) });
    };
    const outcome = perform(call);
    if (!(outcome instanceof Promise)) return settle(outcome);
    this.#running.add(call);
    return outcome.finally(() => this.#running.delete(call)).then(settle);
  }
}

function truncated(error: CodeError): CodeError {
  const { name, message, trace } = error;
  const cut = (text: string) => (text.length <= maxTextLength ? text : `${text.slice(0, maxTextLength)}…`);
  return { ...error, name: cut(name), message: cut(message), trace: trace && cut(trace) };
}

/** What is left of `room` after a value as JSON. Stops at the first part that does not fit, since values may be large. */
function roomAfter(value: unknown, room: number): number {
  if (typeof value === "string") return room - value.length - 2;
  if (typeof value !== "object" || value === null) return room - String(value).length;
  let left = room - 2;
  for (const key in value) {
    if (left < 0) return left;
    if (!Array.isArray(value)) left -= key.length + 3;
    left = roomAfter((value as Record<string, unknown>)[key], left - 1);
  }
  return left;
}

const maxInputLength = 200;
const maxTextLength = 10_000;
