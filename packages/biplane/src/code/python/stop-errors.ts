import { codeError, codeFailure, isTimeout } from "../code-error.ts";
import type { CodeError, CodeLimits, CodeResult } from "../engine.ts";
import type { GuestOutcome } from "./python-worker.ts";

export interface StopFacts {
  readonly limits: CodeLimits;
  /** The abort reason, if the action was aborted. */
  readonly reason: unknown;
  /** Which state remains: that before the action, or nothing. */
  readonly keeps: "before" | "nothing";
}

/** The error of an action that did not finish by itself. */
export function describeStop(end: GuestOutcome, { limits, reason, keeps }: StopFacts): CodeError {
  const after = keeps === "nothing" ? " The state was lost." : " The state before this action is kept.";
  const stop = (kind: CodeError["kind"], name: string, why: string) => codeError(kind, name, `${why}${after}`);
  switch (end.kind === "ended" ? end.ending.kind : end.kind) {
    case "slow":
      return stop("limit", "CpuLimit", `The code exceeded its CPU limit of ${limits.cpuMs} ms and was stopped.`);
    case "spent":
      return stop("limit", "CallLimit", `The code made more than ${limits.calls} tool calls and was stopped.`);
    case "aborted":
      if (isTimeout(reason)) return stop("limit", "TimeLimit", `${reason.message.replace(/\.$/, "")}.`);
      return stop("cancelled", "Cancelled", "The action was cancelled.");
    case "crashed":
      return stop("limit", "MemoryError", "The code exceeded its memory limit and was stopped.");
    case "exited":
      return stop("thrown", "SystemExit", "The code ended the interpreter.");
    case "overflowed":
      return stop("limit", "StackOverflow", "The code exceeded its stack limit.");
    default:
      return stop("thrown", "InterpreterError", "The code crashed the interpreter.");
  }
}

export function sourceTooLong(sourceBytes: number): CodeResult {
  return codeFailure(codeError("limit", "SourceLimit", `The code is longer than ${sourceBytes} bytes.`));
}

export function cancelledBeforeStart(reason: unknown, limits: CodeLimits): CodeResult {
  return codeFailure(describeStop({ kind: "aborted" }, { limits, reason, keeps: "before" }));
}

/** The answer to the first action after state was lost. It did not run, because it may rely on that state. */
export function stateLost(when = "when one of them was stopped", message?: string): CodeResult {
  const why = message ?? `The state of earlier actions was lost ${when}.`;
  return codeFailure(codeError("lost", "StateLost", `${why} This action did not run. Start again.`));
}
