import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { ShownServer, ShownTool } from "../../../../src/desk/contract.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Search, Select } from "../../components/field.tsx";
import { Card, Page } from "../../components/page.tsx";
import { Empty, Loading, Problem } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { plural } from "../../format.ts";
import { house } from "../../house.ts";
import { usePages } from "../../pages.ts";
import { href, place, setQuery } from "../../router.ts";
import { ToolBadges } from "./tool-badges.tsx";

/** Every tool that is served, by server. */
export function ToolList(): JSX.Element {
  const { query = "", server = "" } = place.value.query;
  const list = usePages("/api/tools", "tools", { query, server, limit: 200 });
  const servers = house.value?.servers ?? [];
  const groups = useMemo(() => byServer(list.items), [list.items]);
  return (
    <Page title="Tools" about="What agents can do here. Open one to see what it takes and to call it yourself.">
      <div class="toolbar">
        <Search label="Search tools" value={query} onInput={(value) => setQuery({ query: value })} />
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
      {list.error !== undefined && <Problem error={list.error} retry={list.reload} />}
      {list.items.length === 0 && list.isLoading && <Loading rows={8} />}
      {list.items.length === 0 && !list.isLoading && list.error === undefined && (
        <Nothing isFiltered={query !== "" || server !== ""} />
      )}
      {groups.map(([name, tools]) => (
        <Group key={name} name={name} tools={tools} server={servers.find((each) => each.name === name)} />
      ))}
      {list.hasMore && (
        <div class="row">
          <Button isBusy={list.isLoadingMore} onClick={list.more}>
            Load more
          </Button>
        </div>
      )}
    </Page>
  );
}

function byServer(tools: readonly ShownTool[]): readonly (readonly [server: string, tools: readonly ShownTool[]])[] {
  const groups = new Map<string, ShownTool[]>();
  for (const tool of tools) groups.set(tool.server, [...(groups.get(tool.server) ?? []), tool]);
  return [...groups];
}

function Group(props: {
  readonly name: string;
  readonly tools: readonly ShownTool[];
  readonly server: ShownServer | undefined;
}): JSX.Element {
  const { name, tools, server } = props;
  return (
    <Card
      isFlush
      title={
        <span class="row">
          <Text value={name} most={80} isFixed />
          {server?.kind === "environment" && <Badge>environment</Badge>}
        </span>
      }
      actions={<span class="muted small num">{plural(tools.length, "tool")}</span>}
    >
      <ul class="tools-list">
        {tools.map((tool) => (
          <li key={tool.name}>
            <a class="tools-row" href={href("tools", [tool.server, tool.name])}>
              <span class="tools-name">
                <Text value={tool.name} isMono most={80} isFixed />
              </span>
              <span class="tools-about">
                <Text value={tool.description ?? tool.title ?? ""} most={200} isFixed />
              </span>
              <ToolBadges tool={tool} />
            </a>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }): JSX.Element {
  return isFiltered ? (
    <Empty title="No tool is like that" icon="search">
      <Button onClick={() => setQuery({ query: "", server: "" })}>Show all tools</Button>
    </Empty>
  ) : (
    <Empty title="No tools yet" icon="tools">
      Add a tool to the server, or a pack or a mounted server to its config, and start it again.
    </Empty>
  );
}
