import type { PageLocation, Query } from "../../router.ts";

/** The part of an address that filters and sorts rollouts. A rollout that is opened from a list keeps it. */
export function listAddress({ reason, least, most, below, query, order }: PageLocation["query"]): Query {
  return { reason, least, most, below, query, order };
}

/** The same for the API. */
export function listQuery(address: PageLocation["query"]) {
  const { reason = "", least = "", most = "", below = "", query = "", order = "" } = address;
  return { reason, minReward: least, maxReward: below === "" ? most : justBelow(Number(below)), query, order };
}

/** The largest number below a bound, because histogram columns exclude their upper bound. */
function justBelow(value: number): string {
  if (!Number.isFinite(value)) return "";
  return String(value - Math.max(Math.abs(value), 1e-6) * 1e-12);
}
