import { errorCodes } from "../errors.ts";
import type { BiplaneError, ErrorCode } from "../errors.ts";
import { isRecord } from "../is-record.ts";
import { metaKey } from "./protocol.ts";
import type { Params } from "./rpc.ts";

/**
 * What a client can act on: the code, the approval to wait for, the time to wait. It is in the `_meta` of a failed
 * result, or in the `data` of a protocol error.
 */
export function errorMeta({ code, details }: Pick<BiplaneError, "code" | "details">): Params {
  const { approval, retryAfterMs } = details ?? {};
  const error = { code, ...(isRecord(approval) && { approval }), ...(isDuration(retryAfterMs) && { retryAfterMs }) };
  return { [metaKey.error]: error };
}

/** Reads what `errorMeta` wrote. Undefined if the sender is not a Biplane server. */
export function readErrorMeta(holder: unknown): { code: ErrorCode; details: Record<string, unknown> } | undefined {
  const error = isRecord(holder) ? holder[metaKey.error] : undefined;
  if (!isRecord(error) || !restorable.has(error["code"])) return undefined;
  const { code, approval, retryAfterMs } = error;
  const details = { ...(isRecord(approval) && { approval }), ...(isDuration(retryAfterMs) && { retryAfterMs }) };
  return { code: code as ErrorCode, details };
}

/** Only the caller can cancel a call, so no server may say that it was cancelled. */
const restorable: ReadonlySet<unknown> = new Set(errorCodes.filter((code) => code !== "CANCELLED"));

function isDuration(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && Number.isFinite(value);
}
