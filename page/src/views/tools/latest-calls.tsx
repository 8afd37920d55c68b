import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { CallSummary } from "../../../../packages/biplane/src/admin/calls/call-api.ts";
import type { ToolSummary } from "../../../../packages/biplane/src/admin/overview/overview-api.ts";
import { Outcome } from "../../components/badge.tsx";
import { LinkButton } from "../../components/button.tsx";
import { inputPairs } from "../../components/input-values.ts";
import { Card } from "../../components/page.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { CallDuration, Time } from "../../components/time.tsx";
import { useResource } from "../../resource.ts";
import { href } from "../../router.ts";
import type { MadeCall } from "./use-call.ts";

/** The newest calls of a tool. Loads again after a call on this page. */
export function LatestCalls(props: {
  readonly tool: ToolSummary;
  readonly made: MadeCall | undefined;
}): JSX.Element | null {
  const { tool, made } = props;
  const filter = { server: tool.server, tool: tool.name };
  const { data, reload } = useResource("/api/calls", { query: { ...filter, limit: 50 } });
  useEffect(() => {
    if (made) reload();
  }, [made]);
  // The filter also finds tools whose name contains this one.
  const calls = data?.calls.filter((call) => call.tool === tool.name).slice(0, maxCalls) ?? [];
  if (calls.length === 0) return null;
  return (
    <Card
      title="Latest calls"
      isFlush
      actions={
        <LinkButton kind="quiet" size="small" href={href("live", [], filter)}>
          View all calls
        </LinkButton>
      }
    >
      <Table
        label="Latest calls"
        list={{ items: calls }}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => href("live", [id], filter)}
        columns={columns}
      />
    </Card>
  );
}

const maxCalls = 5;

const columns: readonly Column<CallSummary>[] = [
  {
    title: "Input",
    cell: ({ preview }) => <Text value={inputPairs(preview ?? "{}") || "no input"} maxLength={70} isFixed />,
    under: ({ at, agent }) => (
      <span class="row-facts">
        <span>
          <Text value={agent.agentId} maxLength={60} isFixed />
        </span>
        <span>
          <Time at={at} />
        </span>
      </span>
    ),
    isWrapped: true,
  },
  {
    title: "Agent",
    cell: ({ agent }) => <Text value={agent.agentId} maxLength={60} isFixed />,
    width: "8.5rem",
    isWide: true,
  },
  { title: "Outcome", cell: ({ outcome }) => <Outcome value={outcome} />, width: "6.5rem" },
  { title: "Run time", cell: (call) => <CallDuration call={call} />, width: "5.5rem", align: "end", isRoomy: true },
  { title: "Time", cell: ({ at }) => <Time at={at} />, width: "7rem", align: "end", isWide: true },
];
