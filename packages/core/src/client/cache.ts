import type { Params } from "../protocol/rpc.ts";
import type { CatalogChange } from "../server/catalog.ts";
import type { CallResult, Interceptor, OutgoingCall } from "./intercept.ts";
import { isRecord } from "../is-record.ts";

export interface CacheOptions {
  /** Lifetime of an entry (default: 60000). A shorter `ttlMs` in the server's result wins. */
  readonly ttlMs?: number;
  /** Maximum number of entries; the oldest are evicted first (default: 1000). */
  readonly maxEntries?: number;
  /** Methods to cache. `tools/call` applies only to tools marked read-only or idempotent. */
  readonly methods?: readonly string[];
  readonly now?: () => number;
}

/** `_meta` key of results that came from the cache. */
export const cachedKey = "dev.biplane/cached";

/**
 * Caches results of repeatable requests until they expire or the server reports a change that affects them.
 * Failures are not cached, and neither are results that needed input from a person or a model.
 */
export function cache(options: CacheOptions = {}): Interceptor {
  const { ttlMs = 60_000, maxEntries = 1000, methods = cacheable, now = Date.now } = options;
  const entries = new Map<string, Entry>();
  const servers = new WeakMap<OutgoingCall["server"], number>();
  const serverId = (call: OutgoingCall): number => {
    let id = servers.get(call.server);
    if (id === undefined) {
      servers.set(call.server, (id = nextServer++));
      const known = id;
      void call.server.onChange((change) => evict(entries, known, change));
    }
    return id;
  };
  return async (call, next) => {
    if (!methods.includes(call.method) || call.options.raw) return next(call);
    if (call.method === "tools/call" && !(await call.isRepeatable())) return next(call);
    const id = serverId(call);
    const key = JSON.stringify([id, call.method, call.params, call.options.meta]);
    const cached = entries.get(key);
    if (cached && cached.until > now()) return markCached(cached.result);
    const fresh: Entry = { server: id, method: call.method, uri: call.params["uri"], until: 0, result: {} };
    entries.set(key, fresh); // present during the request, so that a change notification can remove it
    try {
      const result = await next(watchForInput(call, () => entries.delete(key)));
      if (entries.get(key) !== fresh || result["isError"] === true) return result;
      entries.set(key, { ...fresh, result, until: now() + Math.min(ttlMs, ownTtl(result)) });
      return result;
    } finally {
      if (entries.get(key) === fresh) entries.delete(key);
      while (entries.size > maxEntries) entries.delete(entries.keys().next().value as string);
    }
  };
}

interface Entry {
  readonly server: number;
  readonly method: string;
  readonly uri: unknown;
  readonly until: number;
  readonly result: CallResult;
}

const cacheable = [
  "tools/list",
  "tools/call",
  "prompts/list",
  "prompts/get",
  "resources/list",
  "resources/templates/list",
  "resources/read",
];

let nextServer = 1;

function evict(entries: Map<string, Entry>, server: number, change: CatalogChange): void {
  for (const [key, entry] of entries) {
    if (entry.server !== server) continue;
    const isAffected = typeof change === "string" ? entry.method.startsWith(change) : entry.uri === change.resource;
    if (isAffected) entries.delete(key);
  }
}

function watchForInput(call: OutgoingCall, onInput: () => void): OutgoingCall {
  return { ...call, options: { ...call.options, onInput } };
}

function ownTtl(result: Params): number {
  const { ttlMs } = result;
  return typeof ttlMs === "number" && ttlMs >= 0 ? ttlMs : Infinity;
}

function markCached(result: CallResult): CallResult {
  const meta = isRecord(result["_meta"]) ? result["_meta"] : {};
  return { ...result, _meta: { ...meta, [cachedKey]: true } };
}
