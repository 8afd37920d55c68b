import { asBiplaneError } from "../errors.ts";
import type { BiplaneError } from "../errors.ts";

/** Why a rollout ended. */
export type Reason = "stop" | "length" | "tool_calls" | "control_plane_signal" | "max_steps" | "user_stop" | "error";

/** What an error was about, so that failures of the model are not taken for failures of the environment. */
export type ErrorKind =
  | "row"
  | "environment"
  | "connection"
  | "model"
  | "timeout"
  | "cancelled"
  | "divergence"
  | "internal";

export interface Ending {
  readonly reason: Reason;
  /** What the model itself said, where that is not one of the reasons. */
  readonly finishReason?: string;
  readonly kind?: ErrorKind;
  readonly message?: string;
  /** The environment's own end, and a limit from outside: kept apart. */
  readonly terminated: boolean;
  readonly truncated: boolean;
}

/** A rollout's part that was at work when something was thrown. */
export type Phase = "row" | "start" | "agent" | "act" | "user";

/** A model's finish reason as one of ours. One that nobody knows is a stop, and is kept beside it. */
export function reasonOf(finishReason: string): { reason: Reason; finishReason?: string } {
  if (finishReason === "stop" || finishReason === "length" || finishReason === "tool_calls")
    return { reason: finishReason };
  return { reason: "stop", finishReason };
}

/** What was thrown, as an ending: a bad rollout is data. */
export function endingOf(
  thrown: unknown,
  phase: Phase,
  signal: AbortSignal,
): Pick<Ending, "reason" | "kind" | "message"> {
  const error = asBiplaneError(thrown, phase === "agent" ? "EXECUTION_ERROR" : "INTERNAL");
  return { reason: "error", kind: kindOf(error, phase, signal), message: error.message };
}

function kindOf(error: BiplaneError, phase: Phase, signal: AbortSignal): ErrorKind {
  if (signal.aborted) return "cancelled";
  if (phase === "row") return "row";
  if (phase === "agent" || phase === "user") return error.code === "TIMEOUT" ? "timeout" : "model";
  if (error.code === "TIMEOUT") return "timeout";
  if (error.details?.["lost"] !== undefined || connectionWords.test(error.message)) return "connection";
  return error.code === "INTERNAL" && phase === "act" ? "internal" : "environment";
}

const connectionWords = /cannot reach|broke off|was closed|closed the socket|no longer knows our session|was lost/;

/** Eval Protocol's status of today: a code, and the reason among its details. */
export function rolloutStatus(ending: Ending): Readonly<Record<string, unknown>> {
  const { reason, kind, message } = ending;
  const isError = reason === "error";
  const extra = isError ? [detail("EXTRA_INFO", { error_kind: kind, error_message: message })] : [];
  return {
    code: isError ? statusCodes[kind ?? "internal"] : 100,
    message: isError ? (message ?? "The rollout failed") : "Rollout finished",
    details: [detail("TERMINATION_REASON", { termination_reason: reason }), ...extra],
  };
}

/** The older shape, up to August 2025. */
export function olderRolloutStatus(ending: Ending): Readonly<Record<string, unknown>> {
  const { reason, kind, message } = ending;
  const isError = reason === "error";
  return {
    status: isError ? "error" : "finished",
    termination_reason: reason,
    extra_info: isError ? { error_kind: kind, error_message: message } : null,
  };
}

/** google.rpc's codes: cancelled, invalid argument, deadline exceeded, data loss, unavailable, internal. */
const statusCodes: Readonly<Record<ErrorKind, number>> = {
  cancelled: 1,
  row: 3,
  timeout: 4,
  divergence: 15,
  connection: 14,
  environment: 13,
  model: 14,
  internal: 13,
};

function detail(reason: string, metadata: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain: "evalprotocol.io", metadata };
}
