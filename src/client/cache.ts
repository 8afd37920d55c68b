import { isObject } from "../protocol/rpc.ts";
import type { Params } from "../protocol/rpc.ts";
import type { Change } from "./change.ts";
import type { CallResult, Interceptor, OutgoingCall } from "./intercept.ts";

export interface CacheOptions {
  /** How long a result is good for; a server's own `ttlMs`, where it is given and shorter, counts instead. */
  readonly ttlMs?: number;
  /** How many results are kept; the oldest go first. */
  readonly maxEntries?: number;
  /** Which methods; tools/call counts only for tools marked read-only or idempotent. */
  readonly methods?: readonly string[];
  readonly now?: () => number;
}

/** The `_meta` key that marks a result that came from the cache. */
export const cachedKey = "dev.biplane/cached";

/**
 * Keeps results of what may be done twice. An entry goes when its time is up, and at once when the server says that the
 * list it depends on has changed: results of tools with the tools, of prompts with the prompts, a resource when it is
 * updated or the resources change. Failures, and answers that took a person's or a model's input, are not kept.
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
      void call.server.onChange((change) => forget(entries, known, change));
    }
    return id;
  };
  return async (call, next) => {
    if (!methods.includes(call.method) || call.options.raw) return next(call);
    if (call.method === "tools/call" && !(await call.isRepeatable())) return next(call);
    const id = serverId(call);
    const key = JSON.stringify([id, call.method, call.params, call.options.meta]);
    const kept = entries.get(key);
    if (kept && kept.until > now()) return marked(kept.result);
    const fresh: Entry = { server: id, method: call.method, uri: call.params["uri"], until: 0, result: {} };
    entries.set(key, fresh); // here while it is under way, so that a change in the meantime takes it out
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

function forget(entries: Map<string, Entry>, server: number, change: Change): void {
  for (const [key, entry] of entries) {
    if (entry.server !== server) continue;
    const isMeant = typeof change === "string" ? entry.method.startsWith(change) : entry.uri === change.resource;
    if (isMeant) entries.delete(key);
  }
}

function watchForInput(call: OutgoingCall, onInput: () => void): OutgoingCall {
  return { ...call, options: { ...call.options, onInput } };
}

function ownTtl(result: Params): number {
  const { ttlMs } = result;
  return typeof ttlMs === "number" && ttlMs >= 0 ? ttlMs : Infinity;
}

function marked(result: CallResult): CallResult {
  const meta = isObject(result["_meta"]) ? result["_meta"] : {};
  return { ...result, _meta: { ...meta, [cachedKey]: true } };
}
