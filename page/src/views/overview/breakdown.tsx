import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { CallStatisticsBody, NamedCalls } from "../../../../packages/biplane/src/admin/calls/statistics-api.ts";
import { Button } from "../../components/button.tsx";
import { Failures, failureColumns } from "../../components/failure-columns.tsx";
import { shareText } from "../../components/failure-counts.ts";
import { Select } from "../../components/field.tsx";
import { Card } from "../../components/page.tsx";
import { Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { Text } from "../../components/text.tsx";
import { count, duration } from "../../format.ts";
import { href } from "../../router.ts";

/** Which tools, agents and policies are slow, fail or ask. */
export function Breakdown({ data }: { readonly data: CallStatisticsBody }): JSX.Element {
  const [kind, setKind] = useState<"tools" | "agents" | "policies">("tools");
  const [order, setOrder] = useState("calls");
  const [isWhole, setWhole] = useState(false);
  const rows = [...data[kind]].sort((one, other) => orders(order, other) - orders(order, one));
  const shown = isWhole ? rows : rows.slice(0, few);
  return (
    <Card isFlush class="breakdown">
      <Tabs
        label="Group calls by"
        tabs={[
          { id: "tools", title: "By tool" },
          { id: "agents", title: "By agent" },
          { id: "policies", title: "By policy" },
        ]}
        current={kind}
        onChange={setKind}
      >
        <div class="breakdown-order">
          <Select label="Order by" isLabelHidden value={order} choices={orderChoices} onChange={setOrder} />
        </div>
        <Table
          label={`Calls ${titles[kind]}`}
          list={{ items: shown }}
          keyOf={({ server, name }) => `${server} ${name}`}
          hrefOf={kind === "policies" ? undefined : ({ name }) => liveOf(kind, name, data.from)}
          columns={columnsOf(kind, { all: data.all.calls, most: Math.max(0, ...rows.map(({ calls }) => calls)) })}
          empty={<Empty title={emptyTitles[kind]} icon={kind === "policies" ? "approvals" : "live"} />}
        />
        {rows.length > few && (
          <div class="table-more">
            <Button size="small" onClick={() => setWhole(!isWhole)}>
              {isWhole ? "Show fewer" : `Show all ${rows.length} ${kind}`}
            </Button>
          </div>
        )}
      </Tabs>
    </Card>
  );
}

const few = 8;
const titles = { tools: "by tool", agents: "by agent", policies: "by policy" };
const emptyTitles = {
  tools: "No calls in this time",
  agents: "No calls in this time",
  policies: "No policy denied a call or asked about one in this time",
};

const orderChoices = [
  { value: "calls", title: "Most calls" },
  { value: "failed", title: "Most failures" },
  { value: "p95", title: "Slowest (p95)" },
  { value: "asked", title: "Most asked" },
];

function orders(order: string, { calls, failed, asked, run }: NamedCalls): number {
  return { failed: failed - asked, asked, p95: run.p95 ?? 0 }[order] ?? calls;
}

function liveOf(kind: "tools" | "agents", name: string, since: string): string {
  return href("live", [], kind === "tools" ? { tool: name, since } : { agent: name, since });
}

function columnsOf(
  kind: "tools" | "agents" | "policies",
  { all, most }: { readonly all: number; readonly most: number },
): readonly Column<NamedCalls>[] {
  const time = (title: string, value: (row: NamedCalls) => number | null, isWide = false): Column<NamedCalls> => ({
    title,
    cell: (row) => <span class="num">{value(row) === null ? "–" : duration(value(row) ?? 0)}</span>,
    about: "Run time",
    width: "5.5rem",
    align: "end",
    ...(isWide && { isWide }),
  });
  return [
    {
      title: { tools: "Tool", agents: "Agent", policies: "Policy" }[kind],
      cell: ({ server, name }) => (
        <>
          <Text value={name} maxLength={80} isFixed isMono={kind === "tools"} />
          {server !== "" && (
            <span class="muted small breakdown-server">
              {" "}
              <Text value={server} maxLength={40} isFixed />
            </span>
          )}
        </>
      ),
      under: (row) => <Failures counts={row} />,
      isWrapped: true,
    },
    { title: "Calls", cell: ({ calls }) => count(calls), width: "4.5rem", align: "end" },
    {
      title: "Share of calls",
      cell: ({ calls }) => <Share of={all} most={most} calls={calls} />,
      width: "7rem",
      isRoomy: true,
    },
    ...failureColumns<NamedCalls>(),
    time("p50 time", ({ run }) => run.p50, true),
    time("p95 time", ({ run }) => run.p95),
    time("p99 time", ({ run }) => run.p99, true),
  ];
}

function Share(props: { readonly calls: number; readonly of: number; readonly most: number }): JSX.Element {
  const { calls, of, most } = props;
  return (
    <span class="breakdown-share">
      <span class="breakdown-share-track" aria-hidden="true">
        <span class="breakdown-share-bar" style={{ width: `${(calls / Math.max(1, most)) * 100}%` }} />
      </span>
      <span class="num muted breakdown-share-value">{of === 0 ? "–" : shareText(calls, of)}</span>
    </span>
  );
}
