import { makeFailure } from "@biplane/core";
import type { BiplaneError, ErrorCode, Failure, FailureKind, Masks } from "@biplane/core";
import { asBiplaneError, isRecord } from "@biplane/core/internal";
import type { StepOutcome, StepStatus } from "@biplane/core/client";

/** The part of a rollout in which an error occurred. */
export type Phase = "row" | "start" | "agent" | "act" | "user";

/** Converts an error of a rollout into a failure. */
export function failureAt(
  phase: Phase,
  thrown: unknown,
  { signal, masks }: { signal: AbortSignal; masks?: Masks | undefined },
): Failure {
  const error = asBiplaneError(thrown);
  const kind = signal.aborted ? "cancelled" : kindAt(phase, error, thrown);
  return makeFailure(kind, error.message, masks);
}

function kindAt(phase: Phase, error: BiplaneError, thrown: unknown): FailureKind {
  switch (phase) {
    case "row":
      return "environment";
    case "user":
      return "simulator";
    case "agent":
      if (error.code === "TIMEOUT") return "timeout";
      return isEndpointError(thrown) ? "model" : "agent";
    default:
      return kindOfConnection(error);
  }
}

function kindOfConnection({ code, message, details }: BiplaneError): FailureKind {
  const known = connectionKinds[code];
  if (known) return known;
  if (lostEpisode.test(message)) return "lost";
  return details?.["lost"] !== undefined || brokenConnection.test(message) ? "infrastructure" : "environment";
}

const connectionKinds: { readonly [Code in ErrorCode]?: FailureKind } = {
  TIMEOUT: "timeout",
  POLICY_DENIED: "policy",
  APPROVAL_REJECTED: "policy",
  UNAUTHORIZED: "infrastructure",
  FORBIDDEN: "infrastructure",
  RATE_LIMITED: "infrastructure",
  CAPACITY: "infrastructure",
  EPISODE_ENDED: "lost",
};
const lostEpisode = /no longer knows this session|was lost|there is no episode/i;
const brokenConnection = /cannot reach|broke off|was closed|closed the socket/i;

/** True if a request failed on its way to a model or there. Anything else that an agent throws is its own failure. */
function isEndpointError(thrown: unknown): boolean {
  for (let [error, depth] = [thrown, 0]; isThrown(error) && depth < maxDepth; error = error["cause"], depth++) {
    const { status, statusCode, code, details, message } = error;
    if (isRecord(details) && details["endpoint"] !== undefined) return true;
    if (typeof status === "number" || typeof statusCode === "number") return true;
    if (typeof code === "string" && networkCodes.test(code)) return true;
    if (message === "fetch failed" || message === "terminated") return true;
  }
  return false;
}

function isThrown(error: unknown): error is Record<string, unknown> {
  return typeof error === "object" && error !== null;
}

const maxDepth = 8;
const networkCodes = /^(?:E(?:CONN|NOTFOUND|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|AI_)|UND_ERR|ERR_(?:TLS|SSL|NETWORK))/;

/** True if a call failed because its episode is gone. No later call can succeed. */
export function isLost({ error, failure }: Pick<StepOutcome, "error" | "failure">): boolean {
  if (failure?.kind === "lost") return true;
  return error?.code === "EPISODE_ENDED" && /the episode was (?:closed|lost)/i.test(error.message);
}

/** What a call that failed says about its step. The agent reads the error and goes on, so it masks nothing. */
export function failureOfCall({ error }: Pick<StepOutcome, "error">): Failure | undefined {
  if (!error) return undefined;
  const kind = callKinds[error.code] ?? "tool";
  return makeFailure(kind, error.message, { [kind]: false });
}

const callKinds: { readonly [Code in ErrorCode]?: FailureKind } = {
  TIMEOUT: "timeout",
  POLICY_DENIED: "policy",
  APPROVAL_PENDING: "policy",
  APPROVAL_REJECTED: "policy",
  RATE_LIMITED: "policy",
  FORBIDDEN: "policy",
  INVALID_INPUT: "agent",
  TOOL_NOT_FOUND: "agent",
  NOT_SUPPORTED: "agent",
  EPISODE_ENDED: "agent",
  CAPACITY: "infrastructure",
  INTERNAL: "infrastructure",
};

/** True if another attempt may go better: something outside of the environment's own code failed. */
export function isWorthRetry({ kind, masked }: Failure): boolean {
  return masked && retried.has(kind);
}

const retried: ReadonlySet<FailureKind> = new Set<FailureKind>([
  "model",
  "simulator",
  "judge",
  "timeout",
  "infrastructure",
  "lost",
]);

/** If the last status could not be read, nobody knows whether the episode had ended. */
export function unknownStatus({ faults }: StepStatus): Failure | undefined {
  const [first, ...more] = faults;
  if (first?.what !== "status" || more.some(({ what }) => what !== "status")) return undefined;
  return makeFailure("infrastructure", `The status of the episode is unknown: ${first.why}`);
}
