import { asBiplaneError } from "../errors.ts";
import { approve } from "./approve.ts";
import type { Body } from "./body.ts";
import { check } from "./check.ts";
import { decide } from "./decide.ts";
import type { LiveCall } from "./live-call.ts";
import type { Outcome } from "./outcome.ts";
import type { Passage, Step } from "./passage.ts";
import { place } from "./place.ts";
import { begin, end } from "./record.ts";
import { resolve } from "./resolve.ts";
import { run } from "./run.ts";
import { commit, enter, observe } from "./step.ts";
import { verify } from "./verify.ts";

/** The path every call takes, whichever wire it came in by. */
const steps: readonly Step[] = [resolve, place, check, decide, approve, enter, run, observe, verify, commit];

/** Takes a call down the path. Where no step waits, the outcome is there at once, without a promise. */
export function perform(call: LiveCall, body: Body): Outcome | Promise<Outcome> {
  const passage: Passage = {
    call,
    body,
    startedAt: performance.now(),
    start: undefined,
    tool: undefined,
    input: undefined,
    question: undefined,
    value: undefined,
    entered: false,
    outcome: undefined,
  };
  begin(passage);
  const waiting = walk(passage, 0);
  return waiting ? waiting.then(() => close(passage)) : close(passage);
}

/** The one try/catch: from here on an error is an outcome. */
function walk(passage: Passage, from: number): void | Promise<void> {
  try {
    for (let at = from; at < steps.length; at++) {
      const waiting = steps[at]?.(passage);
      if (waiting) {
        return waiting.then(
          () => (passage.call.stopped ? fail(passage, passage.call.stopped) : walk(passage, at + 1)),
          (error: unknown) => fail(passage, error),
        );
      }
    }
  } catch (error) {
    fail(passage, error);
  }
}

function fail(passage: Passage, thrown: unknown): void {
  passage.outcome = { status: "failed", error: asBiplaneError(thrown) };
}

function close(passage: Passage): Outcome {
  const { call } = passage;
  const questions = call.stopped ? undefined : call.suspendedOn;
  const outcome: Outcome = questions
    ? { status: "suspended", questions }
    : (passage.outcome ?? { status: "failed", error: asBiplaneError("the path ended without an outcome", "INTERNAL") });
  if (passage.entered) call.scope?.leave(call);
  end(passage, outcome);
  return outcome;
}
