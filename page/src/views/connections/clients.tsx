import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { ClientSummary } from "../../../../packages/biplane/src/admin/overview/connection-api.ts";
import { mayRead } from "../../access.ts";
import { FailurePlaces, Failures, failureColumns } from "../../components/failure-columns.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { count } from "../../format.ts";
import { usePagedList } from "../../paged-list.ts";
import { href } from "../../router.ts";
import { serverOverview } from "../../server-overview.ts";
import { useIsWide } from "../../use-is-wide.ts";
import { PrincipalName } from "../approvals/caller.tsx";
import { useFiltered } from "../approvals/use-filtered.ts";
import { useListReload } from "../../use-reload.ts";

/** Agents without an MCP session, such as MCP 2026-07-28 clients and REST calls. */
export function Clients({ server, query }: { readonly server: string; readonly query: string }): JSX.Element {
  const pages = usePagedList("/api/clients", "clients", { query: { server } });
  useListReload(pages);
  const filtered = useFiltered(pages, ({ agent, principal, route, model = "" }) =>
    `${agent} ${model} ${principal.kind} ${principal.id} ${route}`.toLowerCase().includes(query.toLowerCase()),
  );
  // The latest caller comes first in the API. Here rows keep their places while calls arrive.
  const list = { ...filtered, items: filtered.items.toSorted(byAgent) };
  const isLarge = useIsWide(1400);
  const isMedium = !useIsWide(1200);
  const hasSeveralServers = new Set(pages.items.map((client) => client.server)).size > 1;
  const hasServer = !hasSeveralServers ? "none" : isLarge ? "column" : "below";
  const startedAt = serverOverview.value?.startedAt;
  const columns = useMemo(() => columnsFor({ hasServer, isMedium }), [hasServer, isMedium]);
  return (
    <section class="stack-tight">
      <div>
        <h2>Agents without a session</h2>
        <p class="muted">
          They send each call on its own: with MCP 2026-07-28, over REST, or as trainers. Counted since the server
          started
          {startedAt !== undefined && (
            <>
              {" "}
              (<Time at={startedAt} />)
            </>
          )}
          , without people.
        </p>
      </div>
      <Table
        label="Agents without a session"
        list={list}
        keyOf={({ id }) => id}
        hrefOf={mayRead("calls") ? ({ agent }) => href("live", [], { agent }) : undefined}
        columns={columns}
        empty={
          <p class="connections-none muted">
            {query === "" ? "No agent has called since the server started" : "No matching agents"}.
          </p>
        }
      />
    </section>
  );
}

function byAgent(one: ClientSummary, other: ClientSummary): number {
  return one.agent.localeCompare(other.agent) || one.id.localeCompare(other.id);
}

/** Small windows show the server, if there are several, and the failures below the name. */
function columnsFor({ hasServer, isMedium }: ColumnChoice): readonly Column<ClientSummary>[] {
  return [
    {
      title: "Agent",
      about: "The name that it gives itself",
      cell: (client) => (
        <span class="connections-name" title={client.agent.slice(0, 200)}>
          <Text value={client.agent} maxLength={80} isFixed class="strong" />
          {client.model !== undefined && (
            <span class="muted small block narrow-only">
              <Text value={client.model} maxLength={60} isFixed />
            </span>
          )}
          {hasServer === "below" && (
            <span class="muted small block">
              <Text value={client.server} maxLength={60} isFixed />
            </span>
          )}
          {isMedium && (
            <span class="small block wide-only">
              <Failures counts={client} />
            </span>
          )}
        </span>
      ),
      under: (client) => (
        <>
          <span class="block">
            <PrincipalName principal={client.principal} />
          </span>
          <FailurePlaces counts={client} />
        </>
      ),
      isWrapped: true,
    },
    {
      title: "Caller",
      about: "The token, person or address that it calls as",
      cell: ({ principal }) => <PrincipalName principal={principal} />,
      isWide: true,
    },
    {
      title: "Model",
      cell: ({ model }) =>
        model === undefined ? <span class="muted">–</span> : <Text value={model} maxLength={60} isFixed />,
      isRoomy: true,
    },
    ...(hasServer === "column" ? [serverColumn] : []),
    { title: "Protocol", cell: ({ route }) => routeNames[route] ?? route, width: "7rem", isWide: true },
    { title: "Calls", cell: ({ calls }) => count(calls), width: "min(4.5rem, 15vw)", align: "end" },
    ...(isMedium ? [] : failureColumns<ClientSummary>()),
    {
      title: "First call",
      cell: ({ firstSeenAt }) => <Time at={firstSeenAt} />,
      width: "8rem",
      align: "end",
      isRoomy: true,
    },
    { title: "Last call", cell: ({ lastSeenAt }) => <Time at={lastSeenAt} />, width: "min(7rem, 27vw)", align: "end" },
  ];
}

/** As the sentence above the table says it. */
const routeNames: Readonly<Record<string, string>> = { mcp: "MCP", execute: "REST", step: "trainer" };

interface ColumnChoice {
  readonly hasServer: "column" | "below" | "none";
  /** Between a phone and a window with space for a column for each kind of failure. */
  readonly isMedium: boolean;
}

const serverColumn: Column<ClientSummary> = {
  title: "Server",
  cell: ({ server }) => <Text value={server} maxLength={60} isFixed />,
  isWide: true,
};
