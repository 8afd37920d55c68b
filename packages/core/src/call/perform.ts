import { BiplaneError, asBiplaneError } from "../errors.ts";
import { approve } from "./approve.ts";
import { audit, checkAudit } from "./audit.ts";
import type { CallHost } from "./call-host.ts";
import { checkInput } from "./check.ts";
import { decide } from "./decide.ts";
import { limit, occupy } from "./apply-limits.ts";
import type { LiveCall } from "./live-call.ts";
import type { Outcome } from "./outcome.ts";
import type { CallState, CallStep } from "./call-state.ts";
import { findEpisode } from "./find-episode.ts";
import { begin, end } from "./record.ts";
import { redactOutcome } from "./redaction.ts";
import { resolve } from "./resolve.ts";
import { run } from "./run.ts";
import { claim, commit, enterTurn, leaveTurn, movedError, observe, persist, recall } from "./step.ts";
import { CallTimeline } from "./call-timeline.ts";
import { verify } from "./verify.ts";

/** The steps of every call, on every protocol. Their names appear in `CallTimeline`. */
const pipeline: Readonly<Record<string, CallStep>> = {
  resolve,
  findEpisode,
  limit,
  check: checkInput,
  decide,
  recall,
  checkAudit,
  approve,
  occupy,
  claim,
  enter: enterTurn,
  run,
  observe,
  verify,
  commit,
};
const whole = Object.entries(pipeline);

/** The steps that are made again if another process continued the episode first. */
const again = Object.entries({ findEpisode, check: checkInput, enter: enterTurn, run, observe, verify, commit });
const maxRepeats = 100;

/** Runs a call through the pipeline. If no step waits, the outcome is returned without a promise. */
export function perform(call: LiveCall, host: CallHost): Outcome | Promise<Outcome> {
  const state: CallState = {
    call,
    host,
    startedAt: performance.now(),
    start: undefined,
    recorded: undefined,
    tool: undefined,
    input: undefined,
    asked: undefined,
    rules: undefined,
    approvedBy: undefined,
    value: undefined,
    isAdmitted: false,
    entered: false,
    judging: undefined,
    saving: undefined,
    release: undefined,
    outcome: undefined,
    isRecalled: false,
    claim: undefined,
    episode: undefined,
    repeats: 0,
    timeline: host.meters.some((meter) => meter.wantsTimeline) ? new CallTimeline() : undefined,
  };
  call.useSecrets(host);
  begin(state);
  const waiting = walk(state, whole, 0);
  return waiting ? waiting.then(() => close(state)) : close(state);
}

/**
 * The only try/catch of the pipeline: from here on, an error is an outcome. A loop of `await`s would be shorter, but a
 * promise per step would cost a synchronous call more than everything else it does. So a step returns a promise only
 * if it waits, and `later` resumes the walk after it.
 */
function walk(state: CallState, steps: readonly NamedStep[], from: number): void | Promise<void> {
  let at = from;
  try {
    for (; at < steps.length && !state.isRecalled; at++) {
      if (state.call.stopped) throw state.call.stopped;
      const [name, step] = steps[at] as NamedStep;
      const waiting = step(state);
      if (waiting) return later(state, { steps, at, waiting });
      state.timeline?.endStep(name, state);
    }
  } catch (error) {
    state.timeline?.endStep((steps[at] as NamedStep)[0], state);
    fail(state, error);
  }
}

type NamedStep = readonly [name: string, step: CallStep];

function later(
  state: CallState,
  { steps, at, waiting }: { steps: readonly NamedStep[]; at: number; waiting: Promise<void> },
): Promise<void> {
  const endStep = () => state.timeline?.endStep((steps[at] as NamedStep)[0], state);
  return unlessStopped(state.call, waiting)
    .finally(endStep)
    .then(
      () => walk(state, steps, at + 1),
      (error: unknown) => fail(state, error),
    );
}

/** A stopped call ends at once, even if the step it waits for never settles. */
function unlessStopped(call: LiveCall, waiting: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    call.whenStopped(reject);
    waiting.then(resolve, reject);
    if (call.stopped) reject(call.stopped);
  });
}

function fail(state: CallState, thrown: unknown): void {
  const error = asBiplaneError(thrown);
  // Only the caller can cancel. A tool that throws CANCELLED itself has failed.
  const isOwn = error.code === "CANCELLED" && !state.call.stopped;
  state.outcome = {
    status: "failed",
    error: isOwn ? new BiplaneError("EXECUTION_ERROR", error.message, { cause: error }) : error,
  };
  state.call.deadline?.stop();
}

function close(state: CallState): Outcome | Promise<Outcome> {
  const { call } = state;
  const questions = call.stopped ? undefined : call.suspendedOn;
  const result: Outcome = questions
    ? { status: "suspended", questions }
    : (state.outcome ?? {
        status: "failed",
        error: asBiplaneError("The pipeline ended without an outcome.", "INTERNAL"),
      });
  if (result.status === "failed" && !call.hasRun && canRepeat(state)) return repeat(state);
  const outcome = redacted(state, result);
  if (state.claim !== undefined) return keep(state, outcome);
  const saving = persist(state, outcome);
  if (!saving) return finish(state, outcome);
  return saving.then(
    (isSaved) => {
      if (isSaved) return finish(state, outcome);
      return canRepeat(state) ? repeat(state) : finish(state, { status: "failed", error: movedError() });
    },
    // Unlike above, the step may have been saved: the answer of the store was lost.
    (error: unknown) => finish(state, { status: "failed", error: asBiplaneError(error, "INTERNAL") }),
  );
}

/** Keeps the answer for a second try of the call. If that fails, the first one still gets it. */
async function keep(state: CallState, outcome: Outcome): Promise<Outcome> {
  try {
    await state.host.answers.keep(state, outcome);
  } catch (fault) {
    state.host.report(fault, "keeping an answer");
  }
  return finish(state, outcome);
}

/** True if another process continued the episode first, and nothing of this call remains. */
function canRepeat({ call, tool, repeats, isAdmitted }: CallState): boolean {
  const { scope } = call;
  const isFree = scope !== undefined && scope.isStale && scope.isRepeatable && !tool?.annotations.openWorldHint;
  return isAdmitted && isFree && !call.stopped && call.root === call && !tool?.composite && repeats < maxRepeats;
}

/** Makes the call again in the episode as another process has left it. Nothing of the first time remains. */
async function repeat(state: CallState): Promise<Outcome> {
  leaveTurn(state);
  state.repeats++;
  state.entered = false;
  state.judging = undefined;
  state.saving = undefined;
  state.value = undefined;
  state.outcome = undefined;
  state.call.restart();
  await walk(state, again, 0);
  return close(state);
}

function finish(state: CallState, outcome: Outcome): Outcome | Promise<Outcome> {
  state.call.end();
  state.release?.();
  leaveTurn(state);
  end(state, outcome);
  return audit(state, outcome);
}

/** If redaction fails, the result is withheld, but the call still ends normally and is recorded. */
function redacted({ call, host }: CallState, result: Outcome): Outcome {
  try {
    return redactOutcome(result, call.redactor);
  } catch (fault) {
    host.report(fault, "redaction");
    const message = `The result of ${call.tool} could not be searched for secrets, so it was withheld.`;
    return { status: "failed", error: new BiplaneError("EXECUTION_ERROR", message) };
  }
}
