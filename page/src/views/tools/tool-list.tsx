import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { ServerInfo, ToolSummary } from "../../../../packages/biplane/src/admin/overview/overview-api.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Search } from "../../components/field.tsx";
import { FilterSelect, ServerSelect } from "../../components/filter-select.tsx";
import { failureTexts } from "../../components/failure-counts.ts";
import { Card, Page } from "../../components/page.tsx";
import { Empty, Loading, Problem } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { plural } from "../../format.ts";
import { serverOverview } from "../../server-overview.ts";
import { usePagedList } from "../../paged-list.ts";
import { href, pageLocation, setQuery } from "../../router.ts";
import { ToolBadges } from "./tool-badges.tsx";
import { ToolFigures, keyOf, useToolFigures } from "./tool-figures.tsx";

/** All tools, grouped by server. */
export function ToolList(): JSX.Element {
  const { query = "", server = "", order = "name" } = pageLocation.value.query;
  const list = usePagedList("/api/tools", "tools", { query: { query, server, limit: 200 } });
  const servers = serverOverview.value?.servers ?? [];
  const figures = useToolFigures();
  const byName = useMemo(() => byServer(list.items), [list.items]);
  const isEnvironment = (name: string) => servers.find((each) => each.name === name)?.kind === "environment";
  // Servers before environments, and what was called before the rest.
  const groups = byName.toSorted(
    ([name, one], [otherName, other]) =>
      Number(isEnvironment(name)) - Number(isEnvironment(otherName)) ||
      Number(wereCalled(other, figures)) - Number(wereCalled(one, figures)),
  );
  return (
    <Page title="Tools" about="Tools that agents can call. Open a tool to see its input and output and to call it.">
      <div class="toolbar">
        <Search label="Search tools" value={query} onInput={(value) => setQuery({ query: value })} />
        <ServerSelect value={server} />
        {figures.size > 0 && (
          <FilterSelect label="Order by" name="order" preset="name" value={order} choices={orderChoices} />
        )}
      </div>
      {list.error !== undefined && <Problem error={list.error} retry={list.reload} />}
      {list.items.length === 0 && list.isLoading && <Loading rows={8} />}
      {list.items.length === 0 && !list.isLoading && list.error === undefined && (
        <Nothing isFiltered={query !== "" || server !== ""} />
      )}
      {groups.map(([name, tools]) => (
        <Group
          key={name}
          name={name}
          tools={inOrder(tools, order, figures)}
          isWhole={query !== "" || server !== "" || order !== "name" || !isEnvironment(name)}
          server={servers.find((each) => each.name === name)}
          figures={figures}
        />
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

const orderChoices = [
  { value: "name", title: "By name" },
  { value: "calls", title: "Most calls" },
  { value: "failed", title: "Most failures" },
  { value: "p95", title: "Slowest (p95)" },
];

/** The tools of a server, by name or by what they did in the last day. */
function inOrder(
  tools: readonly ToolSummary[],
  order: string,
  figures: ReturnType<typeof useToolFigures>,
): readonly ToolSummary[] {
  const valueOf = ({ server, name }: ToolSummary): number => {
    const calls = figures.get(keyOf(server, name));
    if (!calls) return 0;
    return { calls: calls.calls, failed: calls.failed - calls.asked, p95: calls.run.p95 ?? 0 }[order] ?? 0;
  };
  return tools.toSorted((one, other) => valueOf(other) - valueOf(one));
}

/** True if one of the tools was called in the last day. */
function wereCalled(tools: readonly ToolSummary[], figures: ReturnType<typeof useToolFigures>): boolean {
  return tools.some(({ server, name }) => figures.has(keyOf(server, name)));
}

function byServer(
  tools: readonly ToolSummary[],
): readonly (readonly [server: string, tools: readonly ToolSummary[]])[] {
  const groups = new Map<string, ToolSummary[]>();
  for (const tool of tools) groups.set(tool.server, [...(groups.get(tool.server) ?? []), tool]);
  return [...groups];
}

function Group(props: {
  readonly name: string;
  readonly tools: readonly ToolSummary[];
  /** False for long groups of tools that only agents in training call: the first ones are shown. */
  readonly isWhole: boolean;
  readonly server: ServerInfo | undefined;
  readonly figures: ReturnType<typeof useToolFigures>;
}): JSX.Element {
  const { name, tools, server, figures } = props;
  const [isOpened, setOpened] = useState(false);
  const isEpisodeSaid = tools.every(({ needsEpisode }) => needsEpisode);
  const hasFailures = tools.some((tool) => failureTexts(figures.get(keyOf(tool.server, tool.name)) ?? none).length > 0);
  const shown = props.isWhole || isOpened || tools.length <= maxFolded + 2 ? tools : tools.slice(0, maxFolded);
  return (
    <Card
      isFlush
      class={hasFailures ? "tools-group" : "tools-group tools-calm"}
      title={
        <span class="row">
          <Text value={name} maxLength={80} isFixed />
          {server?.kind === "environment" && (
            <Badge title="For training: agents call its tools in episodes">environment</Badge>
          )}
        </span>
      }
      actions={
        <span class="muted small num">
          {plural(tools.length, "tool")}
          {isEpisodeSaid && ", calls need an episode"}
        </span>
      }
    >
      {figures.size > 0 && <Head />}
      <ul class="tools-list">
        {shown.map((tool) => (
          <li key={tool.name}>
            <a class="tools-row" href={href("tools", [tool.server, tool.name])}>
              <span class="tools-name">
                <Text value={tool.name} isMono maxLength={80} isFixed />
              </span>
              <span class="tools-about">
                <Text value={tool.description ?? tool.title ?? ""} maxLength={200} isFixed />
              </span>
              <ToolBadges tool={tool} isEpisodeSaid={isEpisodeSaid} isList />
              {figures.size > 0 && <ToolFigures calls={figures.get(keyOf(tool.server, tool.name))} />}
            </a>
          </li>
        ))}
      </ul>
      {shown.length < tools.length && (
        <button type="button" class="more tools-more" onClick={() => setOpened(true)}>
          {plural(tools.length - shown.length, "more tool")}
        </button>
      )}
    </Card>
  );
}

const maxFolded = 6;
const none = { calls: 0, failed: 0, refused: 0, asked: 0, invalid: 0 };

/** Titles of the columns, on screens that show the calls. The rows name their values themselves. */
function Head(): JSX.Element {
  return (
    <div class="tools-head" aria-hidden="true">
      <span>Tool</span>
      <span>Description</span>
      <span>Properties</span>
      <span class="tools-figures">
        <span>Last 24 h</span>
        <span class="tools-failures">Not done</span>
        <span class="tools-time">p95 run time</span>
      </span>
    </div>
  );
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }): JSX.Element {
  return isFiltered ? (
    <Empty title="No matching tools" icon="search">
      <Button onClick={() => setQuery({ query: "", server: "" })}>Show all tools</Button>
    </Empty>
  ) : (
    <Empty title="No tools yet" icon="tools">
      Add a tool to the server, or a pack or mounted server to its config, and restart it.
    </Empty>
  );
}
