import type { IncomingHttpHeaders } from "node:http";
import type { CallRequest } from "../call/live-call.ts";
import { metaKey } from "../protocol/protocol.ts";

/** How a caller marks the tries of one call: by a key, or by the number of steps that it knows of. */
export type RetryMarks = Pick<CallRequest, "idempotencyKey" | "expectedStep">;

/** The key in the `Idempotency-Key` header, which may be in quotes. */
export function keyInHeaders(headers: IncomingHttpHeaders): string | undefined {
  const given = headers["idempotency-key"];
  return typeof given === "string" ? readKey(given.replace(/^"(.*)"$/, "$1")) : undefined;
}

/** The key and the expected step in the `_meta` of a request. A key in the headers comes first. */
export function retryMarks(meta: Readonly<Record<string, unknown>>, inHeaders: string | undefined): RetryMarks {
  return marks(inHeaders ?? readKey(meta[metaKey.idempotencyKey]), meta[metaKey.step]);
}

/** The same in the metadata of an OpenEnv action. */
export function retryMarksOfAction(metadata: unknown, inHeaders?: string): RetryMarks {
  const { idempotency_key: key, step } = (metadata ?? {}) as Record<string, unknown>;
  return marks(inHeaders ?? readKey(key), step);
}

function marks(key: string | undefined, step: unknown): RetryMarks {
  const expectedStep = Number.isSafeInteger(step) && Number(step) >= 0 ? Number(step) : undefined;
  if (expectedStep === undefined) return key === undefined ? none : { idempotencyKey: key };
  return { idempotencyKey: key ?? `step ${expectedStep}`, expectedStep };
}

/** Long keys would be stored with every step. */
function readKey(given: unknown): string | undefined {
  return typeof given === "string" && given.length > 0 && given.length <= 256 ? given : undefined;
}

const none: RetryMarks = Object.freeze({});
