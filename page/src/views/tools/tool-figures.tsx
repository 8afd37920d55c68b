import type { JSX } from "preact";
import type { NamedCalls } from "../../../../packages/biplane/src/admin/calls/statistics-api.ts";
import { mayRead } from "../../access.ts";
import { duration, percent, plural } from "../../format.ts";
import { useResource } from "../../resource.ts";

/** The calls of the last day, by tool. Empty for people who may not see calls. */
export function useToolFigures(): ReadonlyMap<string, NamedCalls> {
  const query = mayRead("calls") ? { query: { range: "24h" as const } } : undefined;
  const { data } = useResource("/api/statistics", query, { isCached: true });
  return new Map(data?.tools.map((calls) => [keyOf(calls.server, calls.name), calls]));
}

export function keyOf(server: string, tool: string): string {
  return JSON.stringify([server, tool]);
}

/** Calls, failures and run time of a tool in the last day. Empty without calls. */
export function ToolFigures({ calls }: { readonly calls: NamedCalls | undefined }): JSX.Element {
  if (!calls) return <span class="tools-figures" />;
  const { refused, failed, run } = calls;
  const errors = Math.max(0, failed - refused);
  return (
    <span class="tools-figures num" title="In the last 24 hours">
      <span>{plural(calls.calls, "call")}</span>
      {errors > 0 ? (
        <span class="text-bad">{percent(errors / calls.calls)} errors</span>
      ) : (
        <span class="text-warn">{refused > 0 && `${percent(refused / calls.calls)} refused`}</span>
      )}
      <span class="muted tools-time">{run.p95 !== null && `p95 ${duration(run.p95)}`}</span>
    </span>
  );
}

/** The same in words, on the page of a tool. */
export function LastDay({ calls }: { readonly calls: NamedCalls }): JSX.Element {
  const { refused, failed, run } = calls;
  const parts = [
    plural(calls.calls, "call"),
    ...(refused > 0 ? [`${percent(refused / calls.calls)} refused`] : []),
    ...(failed > refused ? [`${percent((failed - refused) / calls.calls)} errors`] : []),
    ...(run.p50 === null || run.p95 === null ? [] : [`p50 ${duration(run.p50)}`, `p95 ${duration(run.p95)}`]),
  ];
  return <span class="num">{parts.join(", ")}</span>;
}
