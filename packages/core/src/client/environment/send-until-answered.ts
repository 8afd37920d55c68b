import { BiplaneError } from "../../errors.ts";
import { repeatPatiently } from "../idempotent-calls.ts";

/**
 * Sends a request again while no server answers it, for about a minute. Only for requests that the server makes
 * once, however often they arrive: reads, and steps with a key.
 */
export function sendUntilAnswered<T>(send: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return repeatPatiently(send, { signal, firstDelayMs: 40, isPassing: isUnanswered });
}

/** True if the connection failed, or if a balancer found no server behind it. */
export function isUnanswered(error: unknown): boolean {
  if (!(error instanceof BiplaneError) || error.code === "CANCELLED" || error.code === "TIMEOUT") return false;
  const { status, code } = error.details ?? {};
  return status === undefined
    ? code === undefined && error.code === "EXECUTION_ERROR"
    : status === 502 || status === 503;
}
