import type { ValueOf } from "@biplane/core/internal";
import type { TraceOrder, TraceQuery } from "../../store/runs/rollout-list.ts";
import type { traceFilter } from "./trace-api.ts";

type TraceFilter = ValueOf<{ readonly type: "object"; readonly properties: typeof traceFilter }, true>;

/** Which traces of a run to list, as a request says it. */
export function traceQuery(filter: TraceFilter): Omit<TraceQuery, "limit" | "after"> {
  const { order, query: text, reason, minReward, maxReward } = filter;
  return {
    order: order.replace("-", "") as TraceOrder,
    isDescending: order.startsWith("-"),
    reason,
    text,
    minReward,
    maxReward,
  };
}
