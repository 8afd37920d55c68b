import type { Tool } from "../tool/tool.ts";
import type { CallHost } from "./call-host.ts";
import type { LiveCall } from "./live-call.ts";
import type { Outcome } from "./outcome.ts";
import type { CallState } from "./call-state.ts";
import type { CallTimeline } from "./call-timeline.ts";

/**
 * Counts, times or records calls. Unlike hooks it receives the live call without copies, so it is cheap. It must only
 * read. The input is not redacted, and `run` may change it.
 */
export interface Meter {
  /** Called with the outcome of every call, including refused ones. */
  end(measured: Measured): void;
  /** Asks for a `CallTimeline`, at a small cost per call. */
  readonly wantsTimeline?: boolean;
  /** Wraps a call, as a tracing span does. It must call `perform` once and return its result. */
  around?(begun: Begun, perform: () => Outcome | Promise<Outcome>): Outcome | Promise<Outcome>;
}

export interface Begun {
  readonly call: LiveCall;
  /** Undefined if no such tool exists; the name in `call` is then arbitrary caller text. */
  readonly tool: Tool | undefined;
}

export interface Measured extends Begun {
  /** Redacted. */
  readonly outcome: Outcome;
  /** From the request to the outcome, with `waitedMs`. */
  readonly durationMs: number;
  /** Time that the call waited for people. The rest of `durationMs` is its run time. */
  readonly waitedMs: number;
  /** Set if a meter wants it. Its reasons may quote the input: redact them before display. */
  readonly timeline: CallTimeline | undefined;
}

/** Performs a call inside the `around` wrappers of all meters. */
export function runInsideMeters(
  call: LiveCall,
  host: CallHost,
  perform: () => Outcome | Promise<Outcome>,
): ReturnType<typeof perform> {
  const begun = { call, tool: call.request.builtIn ?? call.request.unlisted ?? host.find(call.tool) };
  let inner = perform;
  for (const meter of host.meters) {
    if (!meter.around) continue;
    const next = inner;
    inner = () => (meter.around as NonNullable<Meter["around"]>)(begun, next);
  }
  return inner();
}

/** Reports the outcome to all meters. */
export function measure({ call, tool, host, startedAt, timeline }: CallState, outcome: Outcome): void {
  const measured = {
    call,
    tool,
    outcome,
    durationMs: performance.now() - startedAt,
    waitedMs: call.waitedMs,
    timeline,
  };
  for (const meter of host.meters) {
    try {
      meter.end(measured);
    } catch (error) {
      host.report(error, "a meter");
    }
  }
}
