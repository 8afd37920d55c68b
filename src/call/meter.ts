import type { Tool } from "../tool/tool.ts";
import type { Body } from "./body.ts";
import type { LiveCall } from "./live-call.ts";
import type { Outcome } from "./outcome.ts";
import type { Passage } from "./passage.ts";
import type { Trail } from "./trail.ts";

/**
 * Counts and times calls. Unlike hooks it is shown the call itself and no copies, so that counting costs next to
 * nothing; it is for code that only reads, and reads nothing of the input.
 */
export interface Meter {
  /** Told what every call came to, refusals included. */
  end(measured: Measured): void;
  /** Whether it wants to know what happened on the way, which costs a little. */
  readonly wantsTrail?: boolean;
  /** Stands around a call, as a span does: calls `perform` once and gives back what it gives. */
  around?(begun: Begun, perform: () => Outcome | Promise<Outcome>): Outcome | Promise<Outcome>;
}

export interface Begun {
  readonly call: LiveCall;
  /** Undefined where the call names none that exists: what it names then is the caller's own invention. */
  readonly tool: Tool | undefined;
}

export interface Measured extends Begun {
  /** Without secrets. */
  readonly outcome: Outcome;
  readonly durationMs: number;
  /** What happened on the way, where a meter wants it. Reasons may quote the input: redact before showing them. */
  readonly trail: Trail | undefined;
}

/** Takes a call down the path with all that stands around it. */
export function surround(
  call: LiveCall,
  body: Body,
  perform: () => Outcome | Promise<Outcome>,
): ReturnType<typeof perform> {
  const begun = { call, tool: call.request.builtIn ?? body.find(call.tool) };
  let inner = perform;
  for (const meter of body.meters) {
    if (!meter.around) continue;
    const next = inner;
    inner = () => (meter.around as NonNullable<Meter["around"]>)(begun, next);
  }
  return inner();
}

/** Tells the meters what a call came to. */
export function measure({ call, tool, body, startedAt, trail }: Passage, outcome: Outcome): void {
  const measured = { call, tool, outcome, durationMs: performance.now() - startedAt, trail };
  for (const meter of body.meters) {
    try {
      meter.end(measured);
    } catch (error) {
      body.report(error, "a meter");
    }
  }
}
