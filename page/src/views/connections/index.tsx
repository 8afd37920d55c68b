import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ConnectionSummary } from "../../../../packages/biplane/src/admin/overview/connection-api.ts";
import { mayRead, mayUse } from "../../access.ts";
import { callApi } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Confirm } from "../../components/dialog.tsx";
import { Search } from "../../components/field.tsx";
import { ServerSelect } from "../../components/filter-select.tsx";
import { Card, Page } from "../../components/page.tsx";
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
  const hasNoCalls = (figures.value ?? serverOverview.value?.figures)?.calls === 0;
  const [isConnectShown, setConnectShown] = useState(hasNoCalls);
  useEffect(() => {
    if (hasNoCalls) setConnectShown(true);
  }, [hasNoCalls]);
  const hasAny = !hasNoCalls || isFiltered || pages.items.length > 0;
  // An empty list comes last.
  const hasSessions = list.items.length > 0 || list.error !== undefined;
  const sessionList = (
    <section class="stack-tight">
      <div>
        <h2>Open sessions</h2>
        <p class="muted">
          MCP clients of version 2025-11-25 and older open a session, so that all their calls belong together.
        </p>
      </div>
      <Table
        label="Open sessions"
        list={list}
        keyOf={({ id }) => id}
        columns={columnsFor({
          hasSeveralServers: new Set(pages.items.map((connection) => connection.server)).size > 1,
          onClose: mayUse("connections") ? setClosed : undefined,
        })}
        empty={<p class="connections-none muted">{isFiltered ? "No matching sessions" : "No open sessions"}.</p>}
      />
    </section>
  );
  return (
    <Page
      title="Connections"
      about="The agents that call this server."
      actions={
        mayRead("tools") &&
        !isConnectShown && (
          <Button icon="connections" onClick={() => setConnectShown(true)}>
            Connect a client
          </Button>
        )
      }
    >
      {(isConnectShown || !hasAny) && (
        <div class={hasAny ? undefined : "split connections-first"}>
          {isConnectShown && mayRead("tools") && serverOverview.value && (
            <Connect
              overview={serverOverview.value}
              {...(!hasNoCalls && { onDismiss: () => setConnectShown(false) })}
            />
          )}
          {!hasAny && (
            <Card title="Agents">
              <Empty title="No agent has called yet" icon="connections">
                Each agent appears here with its first call, or when it opens a session.
              </Empty>
            </Card>
          )}
        </div>
      )}
      {hasAny && (
        <>
          <div class="toolbar">
            <Search label="Search agent or caller" value={query} onInput={(text) => setQuery({ query: text })} />
            <ServerSelect value={server} />
            {isFiltered && (
              <Button kind="quiet" icon="close" onClick={() => setQuery({ query: undefined, server: undefined })}>
                Clear filters
              </Button>
            )}
          </div>
          {hasSessions && sessionList}
          <Clients server={server} query={query} />
          {!hasSessions && sessionList}
        </>
      )}
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
