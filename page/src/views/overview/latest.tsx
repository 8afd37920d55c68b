import type { JSX } from "preact";
import type { Overview } from "../../../../packages/biplane/src/admin/overview/overview-api.ts";
import type { CallSummary } from "../../../../packages/biplane/src/admin/calls/call-api.ts";
import { Outcome } from "../../components/badge.tsx";
import { LinkButton } from "../../components/button.tsx";
import { inputValues } from "../../components/input-values.ts";
import { Card } from "../../components/page.tsx";
import { Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { CallDuration } from "../../components/time.tsx";
import { useEvents, useReconnected } from "../../events.ts";
import { usePagedList } from "../../paged-list.ts";
import { href } from "../../router.ts";

/** The newest calls, as they happen. */
export function Latest({ overview }: { readonly overview: Overview }): JSX.Element {
  const list = usePagedList("/api/calls", "calls", { query: { limit: maxCalls } });
  useEvents("calls", ({ calls }) => list.change((items) => newestOf([...calls, ...items])));
  useReconnected(list.reload);
  const hasSeveral = overview.servers.length > 1;
  return (
    <Card
      title="Latest calls"
      isFlush
      actions={
        <LinkButton kind="quiet" size="small" href={href("live")}>
          View all calls
        </LinkButton>
      }
    >
      <Table
        label="Latest calls"
        list={{ ...list, items: list.items.slice(0, maxCalls), hasMore: false }}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => href("live", [id])}
        columns={[
          {
            title: "Tool",
            cell: ({ tool }) => <Text value={tool} isMono maxLength={80} isFixed />,
            under: ({ preview }) => <Text value={inputValues(preview)} maxLength={60} isFixed />,
          },
          hasSeveral
            ? { title: "Server", cell: ({ server }) => <Text value={server} maxLength={60} isFixed />, isRoomy: true }
            : {
                title: "Agent",
                cell: ({ agent }) => <Text value={agent.agentId} maxLength={60} isFixed />,
                isWide: true,
              },
          { title: "Outcome", cell: ({ outcome }) => <Outcome value={outcome} />, width: "min(9.75rem, 39vw)" },
          { title: "Duration", cell: (call) => <CallDuration call={call} />, width: "min(6.5rem, 21vw)", align: "end" },
        ]}
        empty={
          <Empty title="No calls yet" icon="live">
            Connect a client with one of the snippets, or <a href={href("tools")}>call a tool</a> on this page. Calls
            appear here as they happen.
          </Empty>
        }
      />
    </Card>
  );
}

const maxCalls = 7;

/** Sorts the unordered sample and removes duplicates. */
function newestOf(calls: readonly CallSummary[]): readonly CallSummary[] {
  const byId = new Map(calls.map((call) => [call.id, call]));
  return [...byId.values()].sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, maxCalls);
}
