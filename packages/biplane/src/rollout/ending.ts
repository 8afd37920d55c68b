import type { Failure, FailureKind } from "@biplane/core";

/** Why a rollout ended. */
export type Reason = "stop" | "length" | "tool_calls" | "control_plane_signal" | "max_steps" | "user_stop" | "error";

export interface Ending {
  readonly reason: Reason;
  /** The model's finish reason, if it is not one of `Reason`. */
  readonly finishReason?: string;
  /** What failed, if the reason is `error`. */
  readonly kind?: FailureKind;
  readonly message?: string;
  /** True if the environment ended the episode itself. */
  readonly terminated: boolean;
  /** True if a limit ended the episode. */
  readonly truncated: boolean;
}

/** Maps a model's finish reason. Unknown ones count as `stop` and are kept in `finishReason`. */
export function reasonOf(finishReason: string): { reason: Reason; finishReason?: string } {
  if (finishReason === "stop" || finishReason === "length" || finishReason === "tool_calls")
    return { reason: finishReason };
  return { reason: "stop", finishReason };
}

/** A rollout's status with the fields of both of Eval Protocol's formats. */
export interface RolloutStatus {
  /** 100 if finished, 102 if the score is not valid, else a code of google.rpc. */
  readonly code: number;
  readonly message: string;
  readonly details: readonly Readonly<Record<string, unknown>>[];
  /** The format until August 2025. */
  readonly status: "finished" | "error";
  readonly termination_reason: Reason;
  readonly extra_info: Readonly<Record<string, unknown>> | null;
}

/**
 * Each format ignores the fields of the other, so one status serves all readers. They leave out rows that are in error,
 * so a failure that is not masked counts as finished: the agent earned what it got.
 */
export function rolloutStatus({ reason }: Ending, failure: Failure | undefined): RolloutStatus {
  const isError = failure?.masked === true;
  const extra = failure ? { error_kind: failure.kind, error_message: failure.message, masked: failure.masked } : null;
  return {
    code: isError ? statusCodes[failure.kind] : 100,
    message: isError ? failure.message : "Rollout finished",
    details: [
      detail("TERMINATION_REASON", { termination_reason: reason }),
      ...(extra ? [detail("EXTRA_INFO", extra)] : []),
    ],
    status: isError ? "error" : "finished",
    termination_reason: reason,
    extra_info: extra,
  };
}

/** Codes of google.rpc, and Eval Protocol's own for a score that is not valid. */
const statusCodes: Readonly<Record<FailureKind, number>> = {
  cancelled: 1,
  timeout: 4,
  policy: 7,
  environment: 13,
  tool: 13,
  agent: 13,
  model: 14,
  simulator: 14,
  infrastructure: 14,
  lost: 15,
  judge: 102,
};

function detail(reason: string, metadata: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain: "evalprotocol.io", metadata };
}
