import type { JSX } from "preact";
import type { Overview, ShownCall } from "../../../../src/desk/contract.ts";
import { Outcome } from "../../components/badge.tsx";
import { LinkButton } from "../../components/button.tsx";
import { Card } from "../../components/page.tsx";
import { Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Duration } from "../../components/time.tsx";
import { useEvents, useReconnected } from "../../events.ts";
import { usePages } from "../../pages.ts";
import { href } from "../../router.ts";

/** The newest calls, as they happen. */
export function Latest({ overview }: { readonly overview: Overview }): JSX.Element {
  const list = usePages("/api/calls", "calls", { limit: most });
  useEvents("calls", ({ calls }) => list.change((items) => newestOf([...calls, ...items])));
  useReconnected(list.reload);
  const hasSeveral = overview.servers.length > 1;
  return (
    <Card
      title="Latest calls"
      isFlush
      actions={
        <LinkButton kind="quiet" size="small" href={href("live")}>
          All calls
        </LinkButton>
      }
    >
      <Table
        label="Latest calls"
        list={{ ...list, items: list.items.slice(0, most), hasMore: false }}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => href("live", [id])}
        columns={[
          { title: "Tool", cell: ({ tool }) => <Text value={tool} isMono most={80} isFixed /> },
          hasSeveral
            ? { title: "Server", cell: ({ server }) => <Text value={server} most={60} isFixed />, isWide: true }
            : { title: "Agent", cell: ({ agent }) => <Text value={agent.agentId} most={60} isFixed />, isWide: true },
          { title: "Outcome", cell: ({ outcome }) => <Outcome value={outcome} />, width: "9rem" },
          { title: "Took", cell: ({ durationMs }) => <Duration ms={durationMs} />, width: "5rem", align: "end" },
        ]}
        empty={
          <Empty title="No calls yet" icon="live">
            Copy one of the ways to connect, or <a href={href("tools")}>call a tool from here</a>. Calls show up the
            moment they happen.
          </Empty>
        }
      />
    </Card>
  );
}

const most = 7;

/** The sample comes in whichever order; what is shown twice is shown once. */
function newestOf(calls: readonly ShownCall[]): readonly ShownCall[] {
  const byId = new Map(calls.map((call) => [call.id, call]));
  return [...byId.values()].sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, most);
}
