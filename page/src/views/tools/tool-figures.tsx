import type { JSX } from "preact";
import type { NamedCalls } from "../../../../packages/biplane/src/admin/calls/statistics-api.ts";
import { mayRead } from "../../access.ts";
import { Failures } from "../../components/failure-columns.tsx";
import { failureKinds, failuresOf } from "../../components/failure-counts.ts";
import { count, duration, plural } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { useReload } from "../../use-reload.ts";

/** The calls of the last day, by tool. Empty for people who may not see calls. */
export function useToolFigures(): ReadonlyMap<string, NamedCalls> {
  const query = mayRead("calls") ? { query: { range: "24h" as const } } : undefined;
  const { data, reload } = useResource("/api/statistics", query, { isCached: true });
  useReload(reload, 5000);
  return new Map(data?.tools.map((calls) => [keyOf(calls.server, calls.name), calls]));
}

export function keyOf(server: string, tool: string): string {
  return JSON.stringify([server, tool]);
}

/** Calls, the shares that were denied, asked or failed, and run time of a tool in the last day. */
export function ToolFigures({ calls }: { readonly calls: NamedCalls | undefined }): JSX.Element {
  if (!calls)
    return (
      <span class="tools-figures tools-uncalled muted" title="No calls in the last 24 hours">
        <span>–</span>
      </span>
    );
  const { run } = calls;
  return (
    <span class="tools-figures num" title="In the last 24 hours">
      <span>{plural(calls.calls, "call")}</span>
      <span class="tools-failures">
        <Failures counts={calls} />
      </span>
      <span class="muted tools-time">{run.p95 !== null && duration(run.p95)}</span>
    </span>
  );
}

/** Calls and those that were denied, asked or failed, on the page of a tool: `31 calls: 5 denied, 10 asked`. */
export function LastDay({ calls }: { readonly calls: NamedCalls }): JSX.Element {
  const failures = failuresOf(calls);
  const kinds = failureKinds.filter(({ kind }) => failures[kind] > 0);
  return (
    <span class="num">
      {plural(calls.calls, "call")}
      {kinds.map(({ kind, tone }, at) => (
        <span key={kind}>
          {at === 0 ? ": " : ", "}
          <span class={`text-${tone}`}>
            {count(failures[kind])} {kind}
          </span>
        </span>
      ))}
    </span>
  );
}

/** `median 260 ms, p95 730 ms`. Undefined without calls that ran. */
export function runTimeText({ run }: NamedCalls): string | undefined {
  if (run.p50 === null || run.p95 === null) return undefined;
  return `median ${duration(run.p50)}, p95 ${duration(run.p95)}`;
}
