import type { ValueOf } from "@biplane/core/internal";
import type { pageQuery } from "./operation.ts";

/** The requested page of a list. */
export type PageQuery = ValueOf<typeof pageQuery, true>;

/** A sort key for `paginate` that puts the newest first and stays stable between pages. */
export function newestFirstKey(timeMs: number, id: string): string {
  return `${String(latestTime - timeMs).padStart(16, "0")}-${id}`;
}

/** The largest `Date`. */
const latestTime = 8_640_000_000_000_000;

/** A page of an in-memory list, sorted by key. */
export function paginate<Entry>(
  entries: readonly Entry[],
  key: (entry: Entry) => string,
  { after, limit }: PageQuery,
): { page: readonly Entry[]; next: string | null } {
  const sorted = [...entries].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  const from = after === undefined ? sorted : sorted.filter((entry) => key(entry) > after);
  const page = from.slice(0, limit);
  const last = page.at(-1);
  return { page, next: last !== undefined && from.length > limit ? key(last) : null };
}
