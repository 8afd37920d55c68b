import { BiplaneError, asBiplaneError } from "../errors.ts";
import { approve } from "./approve.ts";
import { audit } from "./audit.ts";
import type { Body } from "./body.ts";
import { check } from "./check.ts";
import { decide } from "./decide.ts";
import { limit, occupy } from "./limit.ts";
import type { LiveCall } from "./live-call.ts";
import type { Outcome } from "./outcome.ts";
import type { Passage, Step } from "./passage.ts";
import { place } from "./place.ts";
import { begin, end } from "./record.ts";
import { redactOutcome } from "./redaction.ts";
import { resolve } from "./resolve.ts";
import { run } from "./run.ts";
import { commit, enter, leave, observe } from "./step.ts";
import { Trail } from "./trail.ts";
import { verify } from "./verify.ts";

/** The path every call takes, whichever wire it came in by. */
const path: Readonly<Record<string, Step>> = {
  resolve,
  place,
  limit,
  check,
  decide,
  approve,
  occupy,
  enter,
  run,
  observe,
  verify,
  commit,
};
const steps = Object.values(path);
const names = Object.keys(path);

/** Takes a call down the path. Where no step waits, the outcome is there at once, without a promise. */
export function perform(call: LiveCall, body: Body): Outcome | Promise<Outcome> {
  const passage: Passage = {
    call,
    body,
    startedAt: performance.now(),
    start: undefined,
    tool: undefined,
    input: undefined,
    asked: undefined,
    approvedBy: undefined,
    value: undefined,
    entered: false,
    judging: undefined,
    release: undefined,
    outcome: undefined,
    trail: body.meters.some((meter) => meter.wantsTrail) ? new Trail() : undefined,
  };
  call.redactor = body.redactor;
  begin(passage);
  const waiting = walk(passage, 0);
  return waiting ? waiting.then(() => close(passage)) : close(passage);
}

/** The one try/catch: from here on an error is an outcome. */
function walk(passage: Passage, from: number): void | Promise<void> {
  let at = from;
  try {
    for (; at < steps.length; at++) {
      if (passage.call.stopped) throw passage.call.stopped;
      const waiting = steps[at]?.(passage);
      if (waiting) return later(passage, at, waiting);
      passage.trail?.passed(names[at] as string, passage);
    }
  } catch (error) {
    passage.trail?.passed(names[at] as string, passage);
    fail(passage, error);
  }
}

function later(passage: Passage, at: number, waiting: Promise<void>): Promise<void> {
  const passed = () => passage.trail?.passed(names[at] as string, passage);
  return unlessStopped(passage.call, waiting)
    .finally(passed)
    .then(
      () => walk(passage, at + 1),
      (error: unknown) => fail(passage, error),
    );
}

/** Whatever a step waits for, a call that is stopped waits no longer. */
function unlessStopped(call: LiveCall, waiting: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    call.whenStopped(reject);
    waiting.then(resolve, reject);
    if (call.stopped) reject(call.stopped);
  });
}

function fail(passage: Passage, thrown: unknown): void {
  const error = asBiplaneError(thrown);
  // Only the caller can cancel: the same word from a tool is a failure like others, and needs an answer.
  const isOwn = error.code === "CANCELLED" && !passage.call.stopped;
  passage.outcome = {
    status: "failed",
    error: isOwn ? new BiplaneError("EXECUTION_ERROR", error.message, { cause: error }) : error,
  };
  passage.call.deadline?.stop();
}

function close(passage: Passage): Outcome | Promise<Outcome> {
  const { call } = passage;
  const questions = call.stopped ? undefined : call.suspendedOn;
  const came: Outcome = questions
    ? { status: "suspended", questions }
    : (passage.outcome ?? { status: "failed", error: asBiplaneError("the path ended without an outcome", "INTERNAL") });
  const outcome = redacted(passage, came);
  call.end();
  passage.release?.();
  leave(passage);
  end(passage, outcome);
  return audit(passage, outcome);
}

/** What cannot be searched for secrets does not leave; but the call ends in order, and is on record. */
function redacted({ call, body }: Passage, came: Outcome): Outcome {
  try {
    return redactOutcome(came, call.redactor);
  } catch (fault) {
    body.report(fault, "redaction");
    const message = `What ${call.tool} came to cannot be searched for secrets, so it is not shown`;
    return { status: "failed", error: new BiplaneError("EXECUTION_ERROR", message) };
  }
}
