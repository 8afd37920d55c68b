import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { CallSummary } from "../../../../packages/biplane/src/admin/calls/call-api.ts";
import { mayOpen } from "../../access.ts";
import { Outcome } from "../../components/badge.tsx";
import { LinkButton } from "../../components/button.tsx";
import { inputValues } from "../../components/input-values.ts";
import { Card } from "../../components/page.tsx";
import { Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { CallDuration, Time } from "../../components/time.tsx";
import { useEvents, useReconnected } from "../../events.ts";
import { usePagedList } from "../../paged-list.ts";
import { href } from "../../router.ts";
import { useIsWide } from "../../use-is-wide.ts";

/**
 * The newest calls, as they happen. They are beside other tables on a large screen. `isHalf` if they are beside something
 * on smaller ones too.
 */
export function Latest({ isHalf }: { readonly isHalf: boolean }): JSX.Element {
  const list = usePagedList("/api/calls", "calls", { query: { limit: maxCalls } });
  useEvents("calls", ({ calls }) => list.change((items) => newestOf([...calls, ...items])));
  useReconnected(list.reload);
  const hasInput = useIsWide(960) && !isHalf;
  const isBeside = useIsWide(1500);
  const hasAgent = useIsWide(1200) && !isHalf && !isBeside;
  const columns = useMemo(() => columnsFor({ hasInput, hasAgent }), [hasInput, hasAgent]);
  return (
    <Card
      title="Latest calls"
      isFlush
      actions={
        list.items.length === 0 ? undefined : (
          <LinkButton kind="quiet" size="small" href={href("live")}>
            View all calls
          </LinkButton>
        )
      }
    >
      <Table
        label="Latest calls"
        list={{ ...list, items: list.items.slice(0, maxCalls), hasMore: false }}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => href("live", [id])}
        columns={columns}
        empty={
          <Empty
            title="No calls yet"
            icon="live"
            actions={
              mayOpen("tools") && (
                <LinkButton icon="tools" href={href("tools")}>
                  Call a tool yourself
                </LinkButton>
              )
            }
          >
            Calls appear here when they end.
          </Empty>
        }
      />
    </Card>
  );
}

const maxCalls = 8;

function columnsFor(has: {
  readonly hasInput: boolean;
  readonly hasAgent: boolean;
}): readonly (Column<CallSummary> | false)[] {
  return [
    {
      title: "Tool",
      cell: ({ tool }) => <Text value={tool} isMono maxLength={80} isFixed />,
      under: ({ preview }) => <Text value={inputValues(preview)} maxLength={60} isFixed />,
      ...(has.hasInput && { width: has.hasAgent ? "10rem" : "9rem" }),
    },
    has.hasInput && {
      title: "Input",
      cell: ({ preview }) => <Text value={inputValues(preview)} maxLength={120} isFixed class="muted" />,
    },
    has.hasAgent && {
      title: "Agent",
      cell: ({ agent }) => <Text value={agent.agentId} maxLength={60} isFixed />,
      width: "11rem",
    },
    {
      title: "Outcome",
      cell: ({ outcome }) => <Outcome value={outcome} />,
      under: (call) => (
        <>
          <CallDuration call={call} /> · <Time at={call.at} />
        </>
      ),
      width: has.hasInput && !has.hasAgent ? "9rem" : "9.75rem",
    },
    { title: "Run time", cell: (call) => <CallDuration call={call} />, width: "5.25rem", align: "end", isWide: true },
    has.hasInput && { title: "Time", cell: ({ at }) => <Time at={at} />, width: "6rem", align: "end" },
  ];
}

/** Sorts the unordered sample and removes duplicates. */
function newestOf(calls: readonly CallSummary[]): readonly CallSummary[] {
  const byId = new Map(calls.map((call) => [call.id, call]));
  return [...byId.values()].sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, maxCalls);
}
