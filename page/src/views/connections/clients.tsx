import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { ClientSummary } from "../../../../packages/biplane/src/admin/overview/connection-api.ts";
import { mayRead } from "../../access.ts";
import { Badge } from "../../components/badge.tsx";
import { Failures, failureColumns } from "../../components/failure-columns.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { count } from "../../format.ts";
import { usePagedList } from "../../paged-list.ts";
import { href } from "../../router.ts";
import { PrincipalName } from "../approvals/caller.tsx";
import { useFiltered } from "../approvals/use-filtered.ts";

/** Callers without an MCP session, such as MCP 2026-07-28 clients and REST calls. */
export function Clients({ server, query }: { readonly server: string; readonly query: string }): JSX.Element {
  const pages = usePagedList("/api/clients", "clients", { query: { server } });
  const { reload } = pages;
  useEffect(() => {
    const timer = setInterval(() => document.hidden || pages.items.length > 100 || reload(), reloadMs);
    return () => clearInterval(timer);
  }, [pages.items.length]);
  const list = useFiltered(pages, ({ agent, principal, route, model = "" }) =>
    `${agent} ${model} ${principal.kind} ${principal.id} ${route}`.toLowerCase().includes(query.toLowerCase()),
  );
  return (
    <section class="stack-tight">
      <div>
        <h2>Stateless callers</h2>
        <p class="muted">Clients of MCP 2026-07-28, REST calls and steps, since the server started.</p>
      </div>
      <Table
        label="Stateless callers"
        list={list}
        keyOf={({ id }) => id}
        hrefOf={mayRead("calls") ? ({ agent }) => href("live", [], { agent }) : undefined}
        columns={columns}
        empty={
          <p class="connections-none">
            <b>{query === "" ? "No stateless callers yet" : "No matching callers"}.</b>{" "}
            <span class="muted">They appear with their first call.</span>
          </p>
        }
      />
    </section>
  );
}

const reloadMs = 5000;

const columns: readonly Column<ClientSummary>[] = [
  {
    title: "Agent",
    cell: ({ agent, model }) => (
      <>
        <span class="strong">
          <Text value={agent} maxLength={80} isFixed />
        </span>
        {model !== undefined && (
          <span class="muted small block">
            <Text value={model} maxLength={60} isFixed />
          </span>
        )}
      </>
    ),
    under: (client) => <Failures counts={client} />,
    isWrapped: true,
  },
  { title: "Caller", cell: ({ principal }) => <PrincipalName principal={principal} />, width: "12rem", isWide: true },
  {
    title: "Server",
    cell: ({ server }) => <Text value={server} maxLength={60} isFixed />,
    width: "10rem",
    isWide: true,
  },
  { title: "Route", cell: ({ route }) => <Badge>{route}</Badge>, width: "6rem", isWide: true },
  { title: "Calls", cell: ({ calls }) => count(calls), width: "5rem", align: "end" },
  ...failureColumns<ClientSummary>(),
  {
    title: "First call",
    cell: ({ firstSeenAt }) => <Time at={firstSeenAt} />,
    width: "8rem",
    align: "end",
    isRoomy: true,
  },
  { title: "Last call", cell: ({ lastSeenAt }) => <Time at={lastSeenAt} />, width: "7rem", align: "end" },
];
