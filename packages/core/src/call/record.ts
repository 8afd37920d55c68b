import type { BiplaneError } from "../errors.ts";
import { frozenClaims, frozenCopy } from "./frozen-copy.ts";
import type { Hooks } from "./hooks.ts";
import type { LiveCall } from "./live-call.ts";
import { measure } from "./meter.ts";
import type { Outcome } from "./outcome.ts";
import type { CallState } from "./call-state.ts";

/** Fires `onStart`. */
export function begin(state: CallState): void {
  const { call, host } = state;
  if (host.hooks.length === 0) return;
  const { redactor } = call;
  const agent = redactor ? redactor.value(call.agent) : call.agent;
  const start = Object.freeze({
    tool: echoedName(redactor ? redactor.text(call.tool) : call.tool),
    input: recordedInput(state),
    agent: frozenClaims(agent, agent.metadata),
    principal: frozenClaims(call.principal, call.principal.scopes),
    route: call.route,
    session: call.session,
    startedAt: new Date(),
  });
  state.start = start;
  fire(state, (hooks) => hooks.onStart?.(start));
}

/** A name as a caller sent it, which may be any text. */
export function echoedName(name: string): string {
  return name.length > 128 ? `${name.slice(0, 128)}…` : name;
}

/**
 * The redacted input for hooks and the audit log, or "…" if it cannot be redacted. It is taken once, before `run`,
 * which may change its input.
 */
export function recordedInput(state: CallState): unknown {
  return (state.recorded ??= { input: redactedCopy(state.call) }).input;
}

function redactedCopy({ redactor, request }: LiveCall): unknown {
  try {
    return frozenCopy(redactor ? redactor.value(request.input) : request.input);
  } catch {
    return "…";
  }
}

/** Reports to the meters, then fires exactly one of `onEnd` and `onError`. */
export function end(state: CallState, outcome: Outcome): void {
  if (state.host.meters.length > 0) measure(state, outcome);
  const { start } = state;
  if (!start) return;
  const { episode, waitedMs } = state.call;
  const durationMs = performance.now() - state.startedAt;
  if (outcome.status === "failed") {
    const error = describe(outcome.error);
    const record = Object.freeze({ ...start, episode, durationMs, waitedMs, error });
    fire(state, (hooks) => hooks.onError?.(record));
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
      waitedMs,
      value,
      status,
    });
    fire(state, (hooks) => hooks.onEnd?.(record));
  }
}

function describe(error: BiplaneError): { code: BiplaneError["code"]; message: string } {
  return Object.freeze({ code: error.code, message: error.message });
}

function fire(state: CallState, callHook: (hooks: Hooks) => unknown): void {
  for (const hooks of state.host.hooks) {
    try {
      const late = callHook(hooks);
      if (late instanceof Promise) late.catch((error: unknown) => state.host.report(error, "a hook"));
    } catch (error) {
      state.host.report(error, "a hook");
    }
  }
}
