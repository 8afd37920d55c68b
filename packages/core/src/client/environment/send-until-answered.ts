import { setTimeout as pause } from "node:timers/promises";
import { BiplaneError } from "../../errors.ts";

/**
 * Sends a request again while no server answers it, for about a minute. Only for requests that the server makes
 * once, however often they arrive: reads, and steps with a key.
 */
export async function sendUntilAnswered<T>(send: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const startedAt = performance.now();
  for (let delayMs = firstDelayMs; ; delayMs = Math.min(delayMs * 2, longestDelayMs)) {
    try {
      return await send();
    } catch (error) {
      if (!isUnanswered(error) || performance.now() - startedAt > patienceMs || signal?.aborted) throw error;
      await pause(delayMs, undefined, { ...(signal && { signal }) });
    }
  }
}

/** True if the connection failed, or if a balancer found no server behind it. */
export function isUnanswered(error: unknown): boolean {
  if (!(error instanceof BiplaneError) || error.code === "CANCELLED" || error.code === "TIMEOUT") return false;
  const { status, code } = error.details ?? {};
  return status === undefined
    ? code === undefined && error.code === "EXECUTION_ERROR"
    : status === 502 || status === 503;
}

const firstDelayMs = 40;
const longestDelayMs = 2000;
/** Longer than a database takes to recover from a crash, and others to give a server up. */
const patienceMs = 60_000;
