import type { BiplaneError } from "../errors.ts";
import { frozenCopy } from "./frozen-copy.ts";
import type { Hooks } from "./hooks.ts";
import type { LiveCall } from "./live-call.ts";
import { measure } from "./meter.ts";
import type { Outcome } from "./outcome.ts";
import type { Passage } from "./passage.ts";

/** Fires `onStart`. */
export function begin(passage: Passage): void {
  const { call, body } = passage;
  if (body.hooks.length === 0) return;
  const start = Object.freeze({
    tool: call.tool,
    input: recordedInput(call),
    agent: untouchable(call.agent, call.agent.metadata),
    principal: untouchable(call.principal, call.principal.scopes),
    route: call.route,
    session: call.session,
    startedAt: new Date(),
  });
  passage.start = start;
  fire(passage, (hooks) => hooks.onStart?.(start));
}

/** What is written down of what a call was given; where it cannot be searched for secrets, nothing is. */
export function recordedInput({ redactor, request }: LiveCall): unknown {
  try {
    return frozenCopy(redactor ? redactor.value(request.input) : request.input);
  } catch {
    return "…";
  }
}

/** Tells the meters, and fires exactly one of `onEnd` and `onError`. */
export function end(passage: Passage, outcome: Outcome): void {
  if (passage.body.meters.length > 0) measure(passage, outcome);
  const { start } = passage;
  if (!start) return;
  const { episode } = passage.call;
  const durationMs = performance.now() - passage.startedAt;
  if (outcome.status === "failed") {
    const error = describe(outcome.error);
    const record = Object.freeze({ ...start, episode, durationMs, error });
    fire(passage, (hooks) => hooks.onError?.(record));
  } else {
    const value = outcome.status === "done" ? frozenCopy(outcome.value) : undefined;
    const { tool, input, agent, principal, route, session, startedAt } = start;
    const { status } = outcome;
    const record = Object.freeze({
      tool,
      input,
      agent,
      principal,
      route,
      session,
      startedAt,
      episode,
      durationMs,
      value,
      status,
    });
    fire(passage, (hooks) => hooks.onEnd?.(record));
  }
}

/** What wires make is frozen all through; what others bring may not be. */
function untouchable<T extends object>(value: T, inner: object): T {
  return Object.isFrozen(value) && Object.isFrozen(inner) ? value : (frozenCopy(value) as T);
}

function describe(error: BiplaneError): { code: BiplaneError["code"]; message: string } {
  return Object.freeze({ code: error.code, message: error.message });
}

function fire(passage: Passage, tell: (hooks: Hooks) => unknown): void {
  for (const hooks of passage.body.hooks) {
    try {
      const late = tell(hooks);
      if (late instanceof Promise) late.catch((error: unknown) => passage.body.report(error, "a hook"));
    } catch (error) {
      passage.body.report(error, "a hook");
    }
  }
}
