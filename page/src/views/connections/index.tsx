import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ShownConnection } from "../../../../src/desk/contract.ts";
import { ask, segment } from "../../api.ts";
import { Button } from "../../components/button.tsx";
import { Confirm } from "../../components/dialog.tsx";
import { Search, Select } from "../../components/field.tsx";
import { Page } from "../../components/page.tsx";
import { Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { toast } from "../../components/toast.tsx";
import { figures } from "../../events.ts";
import { house } from "../../house.ts";
import { usePages } from "../../pages.ts";
import { place, setQuery } from "../../router.ts";
import { useFiltered } from "../approvals/use-filtered.ts";
import { columnsFor } from "./columns.tsx";
import { OwnSessions } from "./own-sessions.tsx";

/** Who is connected: the MCP sessions that are open, and one's own logins. */
export default function Connections(): JSX.Element {
  const { query = "", server = "" } = place.value.query;
  const pages = usePages("/api/connections", "connections", { server });
  const list = useFiltered(pages, (connection) => isAbout(connection, query));
  const [closed, setClosed] = useState<ShownConnection>();
  const close = async ({ id }: ShownConnection) => {
    await ask(`DELETE /api/connections/${segment(id)}`);
    toast("Ended: the client must connect again");
    setClosed(undefined);
    pages.reload();
  };
  const sessions = figures.value?.sessions;
  const { reload } = pages;
  // The figures say when somebody came or went; whoever has loaded further is left where he is.
  useEffect(() => {
    if (pages.items.length <= 100) reload();
  }, [sessions]);
  const servers = house.value?.servers ?? [];
  const isFiltered = query !== "" || server !== "";
  return (
    <Page
      title="Connections"
      about="MCP sessions that are open now. Requests of the newer protocol belong to none and are not here."
      actions={
        <Button icon="refresh" onClick={reload}>
          Reload
        </Button>
      }
    >
      <div class="toolbar">
        <Search label="Client or caller" value={query} onInput={(text) => setQuery({ query: text })} />
        {servers.length > 1 && (
          <Select
            label="Server"
            isLabelHidden
            value={server}
            choices={[
              { value: "", title: "Every server" },
              ...servers.map(({ name }) => ({ value: name, title: name })),
            ]}
            onChange={(value) => setQuery({ server: value })}
          />
        )}
      </div>
      <Table
        label="Connections"
        list={list}
        keyOf={({ id }) => id}
        columns={columnsFor(setClosed)}
        empty={
          isFiltered ? (
            <Empty title="No connection fits" icon="search">
              <Button size="small" onClick={() => setQuery({ query: undefined, server: undefined })}>
                Show all connections
              </Button>
            </Empty>
          ) : (
            <Empty title="Nobody is connected" icon="connections">
              Point a client at the MCP address on the <a href="#/overview">overview</a>: its session shows up here.
            </Empty>
          )
        }
      />
      <OwnSessions />
      {closed && (
        <Confirm
          title="End the connection?"
          action="End it"
          run={() => close(closed)}
          onClose={() => setClosed(undefined)}
        >
          The session of <Text value={closed.client} most={80} isFixed /> ends at once, with the calls it has under way.
          The client may connect again, if it still may.
        </Confirm>
      )}
    </Page>
  );
}

function isAbout({ client, principal, version }: ShownConnection, query: string): boolean {
  return `${client} ${principal.kind} ${principal.id} ${version}`.toLowerCase().includes(query.toLowerCase());
}
