import { setTimeout as pause } from "node:timers/promises";
import { BiplaneError } from "../errors.ts";
import { isRecord } from "../is-record.ts";
import { isConnectionLost } from "./connection-lost.ts";
import { metaKey } from "../protocol/protocol.ts";
import type { Params } from "../protocol/rpc.ts";

/** Where a server makes a call with a key once: for its caller, only within a session, or nowhere. */
export function keysWithin(capabilities: Params): "caller" | "session" | undefined {
  const { experimental } = capabilities;
  const keys = isRecord(experimental) ? experimental[metaKey.idempotencyKey] : undefined;
  if (!isRecord(keys)) return undefined;
  return keys["within"] === "session" ? "session" : "caller";
}

/**
 * Sends a call with a key again while the server or its store is not ready, or while its servers end one after the other,
 * for about a minute.
 */
export function repeatWhileBusy<T>(send: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const isBusy = (error: unknown) =>
    error instanceof BiplaneError && (error.code === "CAPACITY" || wasLostOften(error));
  return repeatPatiently(send, { signal, firstDelayMs: 100, isPassing: isBusy });
}

/** Sends again after errors that pass, for about a minute: longer than a database takes to recover from a crash. */
export async function repeatPatiently<T>(
  send: () => Promise<T>,
  options: { signal: AbortSignal | undefined; firstDelayMs: number; isPassing: (error: unknown) => boolean },
): Promise<T> {
  const { signal, firstDelayMs, isPassing } = options;
  const startedAt = performance.now();
  for (let delayMs = firstDelayMs; ; delayMs = Math.min(delayMs * 2, longestDelayMs)) {
    try {
      return await send();
    } catch (error) {
      if (!isPassing(error) || signal?.aborted || performance.now() - startedAt > patienceMs) throw error;
      await pause(delayMs * (0.5 + Math.random() / 2), undefined, { ...(signal && { signal }) });
    }
  }
}

/** True if connections could be opened, but each of them was lost. */
function wasLostOften(error: BiplaneError): boolean {
  return isConnectionLost(error) && error.details?.["notRetried"] !== undefined;
}

const longestDelayMs = 2000;
const patienceMs = 60_000;
