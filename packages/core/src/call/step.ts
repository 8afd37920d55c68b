import { BiplaneError } from "../errors.ts";
import type { CallState } from "./call-state.ts";
import { toolOf } from "./call-state.ts";
import type { Outcome } from "./outcome.ts";
import { keyOf } from "./stored-answer.ts";

/** In an episode, waits for the turn. Built-in readers are not steps and need no turn. */
export function enterTurn(state: CallState): void | Promise<void> {
  const { scope } = state.call;
  if (!scope || !isStep(state)) return;
  state.isAdmitted = true;
  const waiting = scope.enter(state.call);
  if (!waiting) return entered(state);
  return waiting.then(() => {
    if (state.call.isOver) scope.leave(state.call); // The call was stopped while it waited.
    else entered(state);
  });
}

/** Another try of the same call may have had the turn before. */
function entered(state: CallState): void {
  state.entered = true;
  if (keyOf(state.call) !== undefined) recallStep(state);
}

/** Answers a call that was made before with its answer. */
export function recall(state: CallState): void | Promise<void> {
  const { call, host } = state;
  if (call.request.hasBadKey) throw badKey();
  if (keyOf(call) === undefined || call.root !== call) return;
  if (!call.scope) return host.answers.recall(state);
  recallStep(state);
}

/** Outside of episodes, claims a call that has a key, so that no second try runs its tool too. */
export function claim(state: CallState): void | Promise<void> {
  const { call, host } = state;
  if (call.request.idempotencyKey === undefined || call.scope || call.root !== call) return;
  return host.answers.claim(state);
}

function recallStep(state: CallState): void {
  const { call } = state;
  const answer = call.scope?.recall(call);
  if (!answer) return;
  state.outcome = answer.outcome;
  call.step = answer.step;
  state.isRecalled = true;
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

/**
 * In an episode, makes the steps of an outermost call durable. Its caller waits for that, unless the call failed: then
 * it may be too late to answer.
 */
export function persist(state: CallState, outcome: Outcome): Promise<boolean> | undefined {
  const { call, entered, judging, host } = state;
  const { scope } = call;
  if (!scope || !entered) return undefined;
  if (outcome.status === "failed" && !state.isRecalled) scope.noteError(outcome.error);
  if (call.root !== call) return undefined;
  const isDone = outcome.status === "done";
  const saving =
    judging && !isDone ? judging.then(() => scope.persist(call, outcome) ?? true) : scope.persist(call, outcome);
  if (!saving) return undefined;
  state.saving = saving;
  if (isDone) return saving;
  saving.catch((fault: unknown) => host.report(fault, "saving an episode"));
  return undefined;
}

/** The error of a step that was not made, because the episode continues in another process. */
export function movedError(): BiplaneError {
  const message = "Another process has continued the episode. This call changed nothing; send it again.";
  return new BiplaneError("CONFLICT", message, { details: { retryAfterMs: 0 } });
}

/** In an episode, releases the turn once the reward is known and saved. The caller does not wait for that. */
export function leaveTurn({ call, entered, judging, saving }: CallState): void {
  const { scope } = call;
  if (!entered || !scope) return;
  const leave = () => scope.leave(call);
  const busy = saving ?? judging;
  if (busy) busy.then(leave, leave);
  else leave();
}

function badKey(): BiplaneError {
  const message = "An idempotency key is text of 1 to 256 characters, and an expected step is a number from 0 on.";
  return new BiplaneError("INVALID_INPUT", message);
}

function isStep({ call }: CallState): boolean {
  return call.request.builtIn === undefined;
}
