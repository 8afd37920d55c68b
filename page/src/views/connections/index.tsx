import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ConnectionSummary } from "../../../../packages/biplane/src/admin/overview/connection-api.ts";
import { mayRead, mayUse } from "../../access.ts";
import { callApi } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Confirm } from "../../components/dialog.tsx";
import { Search } from "../../components/field.tsx";
import { ServerSelect } from "../../components/filter-select.tsx";
import { Page } from "../../components/page.tsx";
import { Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { figures } from "../../events.ts";
import { serverOverview } from "../../server-overview.ts";
import { usePagedList } from "../../paged-list.ts";
import { pageLocation, setQuery } from "../../router.ts";
import { useFiltered } from "../approvals/use-filtered.ts";
import { Connect } from "../overview/connect.tsx";
import { Clients } from "./clients.tsx";
import { columnsFor } from "./columns.tsx";
import { useListReload } from "../../use-reload.ts";
import "./style.css";

/** The open MCP sessions, and callers without one. */
export default function Connections(): JSX.Element {
  const { query = "", server = "" } = pageLocation.value.query;
  const pages = usePagedList("/api/connections", "connections", { query: { server } });
  const list = useFiltered(pages, (connection) => isAbout(connection, query));
  const [closed, setClosed] = useState<ConnectionSummary>();
  const sessions = figures.value?.sessions;
  useListReload(pages);
  // Sessions that come or go are shown at once.
  useEffect(() => {
    if (pages.items.length <= 100) pages.reload();
  }, [sessions]);
  const isFiltered = query !== "" || server !== "";
  // Before the first call, the way to make one comes first. It stays there while one looks at it.
  const [isUnused] = useState(serverOverview.value?.figures.calls === 0);
  const hasAny = !isUnused || isFiltered || pages.items.length > 0 || (figures.value?.calls ?? 0) > 0;
  return (
    <Page title="Connections" about="Clients and agents that call this server, with or without an MCP session.">
      {isUnused && mayRead("tools") && serverOverview.value && <Connect overview={serverOverview.value} />}
      {hasAny && (
        <div class="toolbar">
          <Search label="Search client or caller" value={query} onInput={(text) => setQuery({ query: text })} />
          <ServerSelect value={server} />
        </div>
      )}
      <section class="stack-tight">
        <div>
          <h2>Sessions</h2>
          <p class="muted">MCP clients that hold a session open.</p>
        </div>
        <Table
          label="Sessions"
          list={list}
          keyOf={({ id }) => id}
          columns={columnsFor(mayUse("connections") ? setClosed : undefined)}
          empty={
            isFiltered ? (
              <Empty title="No matching sessions" icon="search">
                <Button size="small" onClick={() => setQuery({ query: undefined, server: undefined })}>
                  Show all sessions
                </Button>
              </Empty>
            ) : (
              <p class="connections-none">
                <b>No open sessions.</b>{" "}
                <span class="muted">A client of MCP 2025-11-25 or older opens a session, which appears here.</span>
              </p>
            )
          }
        />
      </section>
      <Clients server={server} query={query} />
      {closed && (
        <Confirm
          title="End this session?"
          action="End session"
          run={() => callApi("DELETE /api/connections/:id", { id: closed.id })}
          done="Session ended. The client must reconnect."
          onDone={pages.reload}
          onClose={() => setClosed(undefined)}
        >
          The session of <Text value={closed.client} maxLength={80} isFixed /> ends immediately, including its running
          calls. The client can reconnect if its credentials are still valid.
        </Confirm>
      )}
    </Page>
  );
}

function isAbout({ client, principal, version }: ConnectionSummary, query: string): boolean {
  return `${client} ${principal.kind} ${principal.id} ${version}`.toLowerCase().includes(query.toLowerCase());
}
