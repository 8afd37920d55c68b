import type { JSX } from "preact";
import type { CallSummary } from "../../../../packages/biplane/src/admin/calls/call-api.ts";
import type { Approval } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { isRecord } from "../../../../packages/core/src/is-record.ts";
import { Outcome } from "../../components/badge.tsx";
import { inputValues } from "../../components/input-values.ts";
import { Card } from "../../components/page.tsx";
import { Loaded } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { ViewLink } from "../../components/view-link.tsx";
import { useResource } from "../../resource.ts";

/** What the caller did before, so that a call is judged in its context. Equal calls in a row are one line. */
export function RecentCalls({ approval }: { readonly approval: Approval }): JSX.Element {
  const calls = useResource("/api/approvals/:id/calls", { id: approval.id });
  return (
    <Card
      title={approval.status === "waiting" ? "Last calls of this caller" : "Calls of this caller before this one"}
      class="approvals-before-it"
    >
      <Loaded resource={calls} rows={3}>
        {({ calls: all }) => {
          const found = all.filter(({ agent }) => agent.requestId !== approval.agent.requestId);
          return found.length === 0 ? (
            <p class="muted">This caller made no other call before this one.</p>
          ) : (
            <ul class="approvals-recent">
              {seriesOf(found).map(({ last: { id, tool, preview, outcome, at, message }, times }) => (
                <li key={id}>
                  <span class="ellipsis">
                    <ViewLink route="live" path={[id]} class="mono">
                      <Text value={tool} maxLength={60} isFixed />
                    </ViewLink>{" "}
                    <Text
                      value={inputValues(preview)}
                      maxLength={120}
                      isFixed
                      class={isAbout(preview, approval.input) ? "strong" : "muted"}
                    />
                    {times > 1 && <span class="muted small num"> {times} times</span>}
                  </span>
                  <Outcome value={outcome} />
                  <span class="small muted end">
                    <Time at={at} />
                  </span>
                  {message !== null && outcome !== "APPROVAL_PENDING" && (
                    <span class="small muted approvals-recent-why">
                      <Text value={message} maxLength={140} isFixed />
                    </span>
                  )}
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Card>
  );
}

interface CallSeries {
  readonly last: CallSummary;
  readonly times: number;
}

/** Equal calls with the same outcome, one after the other. */
function seriesOf(calls: readonly CallSummary[]): readonly CallSeries[] {
  const series: CallSeries[] = [];
  for (const call of calls) {
    const newest = series.at(-1);
    const isSame = (["tool", "preview", "outcome", "message"] as const).every((key) => newest?.last[key] === call[key]);
    if (newest && isSame) series[series.length - 1] = { last: newest.last, times: newest.times + 1 };
    else series.push({ last: call, times: 1 });
  }
  return series;
}

/** True if an earlier call has a value of the input that waits, such as the same order. Short words are a coincidence. */
function isAbout(preview: string | null, input: unknown): boolean {
  const values = isRecord(input) ? Object.values(input) : [];
  return values.some(
    (value) => typeof value === "string" && value.length > 2 && preview?.includes(JSON.stringify(value)) === true,
  );
}
