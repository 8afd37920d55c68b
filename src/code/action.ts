import { LiveCall } from "../call/live-call.ts";
import type { Outcome } from "../call/outcome.ts";
import { BiplaneError } from "../errors.ts";
import type { ErrorCode } from "../errors.ts";
import { callValue } from "./call-value.ts";
import type { CodeContext, CodeError, CodeHost } from "./engine.ts";
import type { JournalEntry } from "./journal.ts";
import { WallClock } from "./wall-clock.ts";

/** What a code action came to. */
export interface ActionReport {
  /** The last expression or what was returned; null where there is nothing. */
  readonly result: unknown;
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
  readonly error: CodeError | null;
  /** The calls it made, in order. */
  readonly calls: readonly InnerCall[];
}

/** A call that code made. */
export interface InnerCall {
  readonly tool: string;
  /** Left out where it is long. */
  readonly input?: unknown;
  outcome: "waiting" | "done" | ErrorCode;
}

export interface ActionOptions {
  /** The call that the action is: the calls of its code are made in its name. */
  readonly outer: LiveCall;
  /** Takes a call down the path. */
  readonly perform: (call: LiveCall) => Outcome | Promise<Outcome>;
  readonly wallMs: number;
  /** Told of faults that must not fail the action. */
  readonly report: (fault: unknown) => void;
  /** Keeps what the action does where it would outlive the process. */
  readonly entry?: JournalEntry | undefined;
}

/** Runs one action: its calls go the way of every call, in the episode and in the name of the outer one. */
export async function runAction(context: CodeContext, code: string, options: ActionOptions): Promise<ActionReport> {
  const { outer, wallMs, entry, report } = options;
  const ending = new AbortController();
  const onCancel = () => ending.abort(outer.stopped ?? new BiplaneError("CANCELLED", "The action was cancelled"));
  if (outer.signal.aborted) onCancel();
  outer.signal.addEventListener("abort", onCancel, { once: true });
  const late = () => ending.abort(new BiplaneError("TIMEOUT", `The action took longer than ${wallMs} ms`));
  const clock = new WallClock(wallMs, late);
  let detaching: Promise<void> | undefined;
  outer.onStandStill = (isStill) => {
    if (!isStill) return clock.resume();
    clock.pause();
    void entry?.keep();
    detaching ??= outer.detach().catch(report); // a caller that knows tasks need not hold the line meanwhile
  };
  const inner = new InnerCalls(options);
  try {
    const { value, error, ...printed } = await context.run(code, inner.host(ending.signal));
    return { result: value ?? null, ...printed, error: error ? shortened(error) : null, calls: inner.made };
  } finally {
    clock.stop();
    outer.onStandStill = undefined;
    outer.signal.removeEventListener("abort", onCancel);
    inner.cancel();
    await detaching; // an outcome that is faster than its task would leave the task behind
    await entry?.end();
  }
}

/** The calls of one action. */
class InnerCalls {
  readonly made: InnerCall[] = [];
  readonly #options: ActionOptions;
  readonly #running = new Set<LiveCall>();
  #isOver = false;

  constructor(options: ActionOptions) {
    this.#options = options;
  }

  host(signal: AbortSignal): CodeHost {
    return {
      signal,
      call: (tool, input) => {
        if (this.#isOver || signal.aborted) throw new BiplaneError("CANCELLED", "The action is over");
        return this.#call(tool, input);
      },
    };
  }

  /** Nothing that code began outlives it. */
  cancel(): void {
    this.#isOver = true;
    for (const call of this.#running) call.cancel("The code that made the call has ended");
  }

  #call(tool: string, input: unknown): unknown {
    const { outer, perform, entry } = this.#options;
    const { agent, principal, session, scope } = outer;
    const call = new LiveCall({
      tool,
      input,
      route: "code",
      parent: outer,
      agent,
      principal,
      session,
      scope: scope && (() => scope),
      patienceMs: outer.request.patienceMs,
    });
    const record: InnerCall = { tool, ...shortInput(input), outcome: "waiting" };
    this.made.push(record);
    entry?.note(this.made);
    const settle = (outcome: Outcome): unknown => {
      record.outcome =
        outcome.status === "done" ? "done" : outcome.status === "failed" ? outcome.error.code : "NOT_SUPPORTED";
      entry?.note(this.made);
      return callValue(tool, outcome);
    };
    const outcome = perform(call);
    if (!(outcome instanceof Promise)) return settle(outcome);
    this.#running.add(call);
    return outcome.finally(() => this.#running.delete(call)).then(settle);
  }
}

/** Code may throw a text of any length. */
function shortened(error: CodeError): CodeError {
  const { name, message, trace } = error;
  const cut = (text: string) => (text.length <= longestText ? text : `${text.slice(0, longestText)}…`);
  return { ...error, name: cut(name), message: cut(message), trace: trace && cut(trace) };
}

/** What was asked for, where that is short enough to be worth repeating. */
function shortInput(input: unknown): { input?: unknown } {
  return JSON.stringify(input).length <= longestInput ? { input } : {};
}

const longestInput = 200;
const longestText = 10_000;
