import { BiplaneError } from "@biplane/core";
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
  if (end.kind === "slow") {
    return problem(
      "limit",
      "CpuLimit",
      `The code exceeded its CPU limit of ${limits.cpuMs} ms and was stopped.${after}`,
    );
  }
  if (end.kind === "spent") {
    return problem("limit", "CallLimit", `The code made more than ${limits.calls} tool calls and was stopped.${after}`);
  }
  if (end.kind === "aborted") {
    const isLimit = reason instanceof BiplaneError && reason.code === "TIMEOUT";
    const message = isLimit ? `${reason.message.replace(/\.$/, "")}.` : "The action was cancelled.";
    return problem(isLimit ? "limit" : "cancelled", isLimit ? "TimeLimit" : "Cancelled", `${message}${after}`);
  }
  if (end.kind === "crashed") {
    return problem("limit", "MemoryError", `The code exceeded its memory limit and was stopped.${after}`);
  }
  switch (end.ending.kind) {
    case "exited":
      return problem("thrown", "SystemExit", `The code ended the interpreter.${after}`);
    case "overflowed":
      return problem("limit", "StackOverflow", `The code exceeded its stack limit.${after}`);
    default:
      return problem("thrown", "InterpreterError", `The code crashed the interpreter.${after}`);
  }
}

export function sourceTooLong(sourceBytes: number): CodeResult {
  return failed("limit", "SourceLimit", `The code is longer than ${sourceBytes} bytes.`);
}

export function cancelledBeforeStart(reason: unknown, limits: CodeLimits): CodeResult {
  const { kind, name, message } = describeStop({ kind: "aborted" }, { limits, reason, keeps: "before" });
  return failed(kind, name, message);
}

/** The answer to the first action after state was lost. It did not run, because it may rely on that state. */
export function stateLost(when = "when one of them was stopped", message?: string): CodeResult {
  const why = message ?? `The state of earlier actions was lost ${when}.`;
  return failed("lost", "StateLost", `${why} This action did not run. Start again.`);
}

function problem(kind: CodeError["kind"], name: string, message: string): CodeError {
  return { kind, name, message, code: undefined, trace: undefined };
}

function failed(kind: CodeError["kind"], name: string, message: string): CodeResult {
  return { value: undefined, stdout: "", stderr: "", truncated: false, error: problem(kind, name, message) };
}
