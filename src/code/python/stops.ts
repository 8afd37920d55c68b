import { BiplaneError } from "../../errors.ts";
import type { CodeError, CodeLimits, CodeResult } from "../engine.ts";
import type { ErrandEnd } from "./worker-handle.ts";

export interface StopFacts {
  readonly limits: CodeLimits;
  /** Why the action was aborted, where it was. */
  readonly reason: unknown;
  /** What is left of the state: what there was before the action, or nothing. */
  readonly keeps: "before" | "nothing";
}

/** Why an action came to no end of its own. */
export function describeStop(end: ErrandEnd, { limits, reason, keeps }: StopFacts): CodeError {
  const after =
    keeps === "nothing" ? " All that was defined is gone." : " What was defined before this action is still there.";
  if (end.kind === "slow") {
    return problem("limit", "CpuLimit", `The code ran for longer than ${limits.cpuMs} ms and was stopped.${after}`);
  }
  if (end.kind === "spent") {
    return problem("limit", "CallLimit", `The code made more than ${limits.calls} calls and was stopped.${after}`);
  }
  if (end.kind === "aborted") {
    const isLimit = reason instanceof BiplaneError && reason.code === "TIMEOUT";
    const message = isLimit ? `${reason.message.replace(/\.$/, "")}.` : "The action was cancelled.";
    return problem(isLimit ? "limit" : "cancelled", isLimit ? "TimeLimit" : "Cancelled", `${message}${after}`);
  }
  if (end.kind === "crashed") {
    return problem("limit", "MemoryError", `The code used all the memory it may have and was stopped.${after}`);
  }
  switch (end.ending.kind) {
    case "exited":
      return problem("thrown", "SystemExit", `The code ended the interpreter.${after}`);
    case "overflowed":
      return problem("limit", "StackOverflow", `The code needs more stack than there is.${after}`);
    default:
      return problem("thrown", "InterpreterError", `The code broke the interpreter it runs in.${after}`);
  }
}

export function tooLong(sourceBytes: number): CodeResult {
  return failed("limit", "SourceLimit", `The code is longer than the ${sourceBytes} bytes it may have`);
}

/** An action that was cancelled before it began changes nothing. */
export function notBegun(reason: unknown, limits: CodeLimits): CodeResult {
  const { kind, name, message } = describeStop({ kind: "aborted" }, { limits, reason, keeps: "before" });
  return failed(kind, name, message);
}

export const lostState: CodeResult = failed(
  "lost",
  "StateLost",
  "What earlier actions defined was lost when one of them was stopped. This action was not run: begin again",
);

function problem(kind: CodeError["kind"], name: string, message: string): CodeError {
  return { kind, name, message, code: undefined, trace: undefined };
}

function failed(kind: CodeError["kind"], name: string, message: string): CodeResult {
  return { value: undefined, stdout: "", stderr: "", truncated: false, error: problem(kind, name, message) };
}
