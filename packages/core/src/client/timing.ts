import type { Interceptor } from "./intercept.ts";
import { isRecord } from "../is-record.ts";

/** `_meta` key of the timing information. */
export const timingKey = "dev.biplane/timing";

/** Adds the start time and duration of the request to every result's `_meta`. */
export function timing(options: { now?: () => number } = {}): Interceptor {
  const { now = Date.now } = options;
  return async (call, next) => {
    const start = now();
    const result = await next(call);
    const measured = { startedAt: new Date(start).toISOString(), durationMs: now() - start };
    const meta = isRecord(result["_meta"]) ? result["_meta"] : {};
    return { ...result, _meta: { ...meta, [timingKey]: measured } };
  };
}
