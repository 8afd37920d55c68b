import { asBiplaneError } from "@biplane/core/internal";
import type { BiplaneError } from "@biplane/core";

/** Why a rollout ended. */
export type Reason = "stop" | "length" | "tool_calls" | "control_plane_signal" | "max_steps" | "user_stop" | "error";

/** The source of an error, which keeps failures of the model apart from failures of the environment. */
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
  /** The model's finish reason, if it is not one of `Reason`. */
  readonly finishReason?: string;
  readonly kind?: ErrorKind;
  readonly message?: string;
  /** True if the environment ended the episode itself. */
  readonly terminated: boolean;
  /** True if a limit ended the episode. */
  readonly truncated: boolean;
}

/** The part of a rollout in which an error occurred. */
export type Phase = "row" | "start" | "agent" | "act" | "user";

/** Maps a model's finish reason. Unknown ones count as `stop` and are kept in `finishReason`. */
export function reasonOf(finishReason: string): { reason: Reason; finishReason?: string } {
  if (finishReason === "stop" || finishReason === "length" || finishReason === "tool_calls")
    return { reason: finishReason };
  return { reason: "stop", finishReason };
}

/** Converts an error into an ending. */
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
  if (error.details?.["lost"] !== undefined || connectionErrors.test(error.message)) return "connection";
  return error.code === "INTERNAL" && phase === "act" ? "internal" : "environment";
}

const connectionErrors = /cannot reach|broke off|was closed|closed the socket|no longer knows this session|was lost/i;

/** A rollout's status with the fields of both of Eval Protocol's formats. */
export interface RolloutStatus {
  /** 100 if finished, else a code of google.rpc. */
  readonly code: number;
  readonly message: string;
  readonly details: readonly Readonly<Record<string, unknown>>[];
  /** The format until August 2025. */
  readonly status: "finished" | "error";
  readonly termination_reason: Reason;
  readonly extra_info: Readonly<Record<string, unknown>> | null;
}

/** Each format ignores the fields of the other, so one status serves all readers. */
export function rolloutStatus({ reason, kind, message }: Ending): RolloutStatus {
  const isError = reason === "error";
  const extra = isError ? { error_kind: kind, error_message: message } : null;
  return {
    code: isError ? statusCodes[kind ?? "internal"] : 100,
    message: isError ? (message ?? "The rollout failed.") : "Rollout finished",
    details: [
      detail("TERMINATION_REASON", { termination_reason: reason }),
      ...(extra ? [detail("EXTRA_INFO", extra)] : []),
    ],
    status: isError ? "error" : "finished",
    termination_reason: reason,
    extra_info: extra,
  };
}

/** Codes of google.rpc: cancelled, invalid argument, deadline exceeded, data loss, unavailable, internal. */
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
