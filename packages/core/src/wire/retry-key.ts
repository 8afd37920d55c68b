import type { IncomingHttpHeaders } from "node:http";
import type { CallRequest } from "../call/live-call.ts";
import { metaKey } from "../protocol/protocol.ts";

/** How a caller marks the tries of one call: by a key, or by the number of steps that it knows of. */
export type RetryMarks = Pick<CallRequest, "idempotencyKey" | "expectedStep" | "hasBadKey">;

/** The `Idempotency-Key` header, which may be in quotes. */
export function keyInHeaders(headers: IncomingHttpHeaders): string | undefined {
  const given = headers["idempotency-key"];
  return typeof given === "string" ? given.replace(/^"(.*)"$/, "$1") : undefined;
}

/** The key and the expected step in the `_meta` of a request. A key in the headers comes first. */
export function retryMarks(meta: Readonly<Record<string, unknown>>, inHeaders: string | undefined): RetryMarks {
  return marks(inHeaders ?? meta[metaKey.idempotencyKey], meta[metaKey.step]);
}

/** The same in the metadata of an OpenEnv action. */
export function retryMarksOfAction(metadata: unknown, inHeaders?: string): RetryMarks {
  const { idempotency_key: key, step } = (metadata ?? {}) as Record<string, unknown>;
  return marks(inHeaders ?? key, step);
}

function marks(key: unknown, step: unknown): RetryMarks {
  if (key === undefined && step === undefined) return none;
  const isStep = Number.isSafeInteger(step) && Number(step) >= 0;
  const isKey = typeof key === "string" && key.length > 0 && key.length <= 256;
  if ((key !== undefined && !isKey) || (step !== undefined && !isStep)) return bad;
  return { idempotencyKey: isKey ? key : undefined, expectedStep: isStep ? Number(step) : undefined };
}

const none: RetryMarks = Object.freeze({});
const bad: RetryMarks = Object.freeze({ hasBadKey: true });
