import type { CallState } from "./call-state.ts";
import { toolOf } from "./call-state.ts";

/** In an episode, waits for the turn. Built-in readers are not steps and need no turn. */
export function enterTurn(state: CallState): void | Promise<void> {
  const { scope } = state.call;
  if (!scope || !isStep(state)) return;
  const waiting = scope.enter(state.call);
  if (!waiting) {
    state.entered = true;
    return;
  }
  return waiting.then(() => {
    if (state.call.isOver) scope.leave(state.call); // The call was stopped while it waited.
    else state.entered = true;
  });
}

/** In an episode, a tool that returned nothing answers with the observation. */
export function observe(state: CallState): void | Promise<void> {
  const { scope } = state.call;
  if (!scope || !state.entered || state.value !== undefined) return;
  const seen = scope.observe(state.call);
  if (!(seen instanceof Promise)) {
    state.value = seen;
    return;
  }
  return seen.then((late: unknown) => {
    state.value = late;
  });
}

/** In an episode, commits the step. */
export function commit(state: CallState): void | Promise<void> {
  const { scope } = state.call;
  if (!scope || !state.entered || state.call.suspendedOn || toolOf(state).composite) return;
  const judging = scope.commit(state.call, { tool: toolOf(state), input: state.input, value: state.value });
  if (judging) state.judging = judging;
  return judging;
}

/** In an episode, releases the turn once the reward is known. The caller does not wait for that. */
export function leaveTurn({ call, entered, judging }: CallState): void {
  if (!entered) return;
  if (judging) void judging.finally(() => call.scope?.leave(call));
  else call.scope?.leave(call);
}

function isStep({ call }: CallState): boolean {
  return call.request.builtIn === undefined;
}
