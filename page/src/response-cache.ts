import { person } from "./session.ts";

/*
 * The last few responses, so that a view that opens again shows data while it reloads. Cleared when the user changes.
 */
const cache = new Map<string, unknown>();
const maxEntries = 12;

export function cacheResponse(address: string, response: unknown): void {
  cache.delete(address);
  cache.set(address, response);
  for (const oldest of cache.keys()) if (cache.size > maxEntries) cache.delete(oldest);
}

export function cachedResponse(address: string): unknown {
  return cache.get(address);
}

person.subscribe(() => cache.clear());
