import { isObject } from "../protocol/rpc.ts";
import type { Interceptor } from "./intercept.ts";

/** The `_meta` key under which `timing` says how long a request took. */
export const timingKey = "dev.biplane/timing";

/** Puts into every result's `_meta` when the request began and how long it took. */
export function timing(options: { now?: () => number } = {}): Interceptor {
  const { now = Date.now } = options;
  return async (call, next) => {
    const start = now();
    const result = await next(call);
    const measured = { startedAt: new Date(start).toISOString(), durationMs: now() - start };
    const meta = isObject(result["_meta"]) ? result["_meta"] : {};
    return { ...result, _meta: { ...meta, [timingKey]: measured } };
  };
}
