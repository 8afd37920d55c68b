import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { EpisodeSummary } from "../../../../packages/biplane/src/admin/episodes/episode-api.ts";
import { mayUse } from "../../access.ts";
import { Button } from "../../components/button.tsx";
import { Snippet } from "../../components/copy.tsx";
import { Segmented } from "../../components/field.tsx";
import { FilterSelect } from "../../components/filter-select.tsx";
import { GuideLink } from "../../components/guide-link.tsx";
import { Icon } from "../../components/icon.tsx";
import { Page } from "../../components/page.tsx";
import { Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { count, plural } from "../../format.ts";
import { serverOverview } from "../../server-overview.ts";
import { href, pageLocation, setQuery } from "../../router.ts";
import { StartDialog } from "./start-dialog.tsx";
import { shortInput } from "./episode-steps.tsx";
import { useLiveEpisodes } from "./live-list.ts";
import { Player } from "./player.tsx";
import { Reward } from "./reward.tsx";
import { StateBadge } from "./state-badge.tsx";

/** The episodes of all environments, updated live. */
export function EpisodeList(): JSX.Element {
  const { server = "", status = "" } = pageLocation.value.query;
  const list = useLiveEpisodes({ server, status });
  const isFiltered = server !== "" || status !== "";
  const isEmpty = !isFiltered && list.items.length === 0 && !list.isLoading;
  const [isStarting, setStarting] = useState(false);
  const environments = (serverOverview.value?.servers ?? []).filter(({ kind }) => kind === "environment");
  const canStart = mayUse("episodes") && environments.length > 0 && serverOverview.value?.mode === "simulation";
  return (
    <Page
      title="Episodes"
      about="Episodes of all environments, played by agents, trainers and people."
      actions={
        canStart && (
          <Button kind="main" icon="plus" onClick={() => setStarting(true)}>
            Start an episode
          </Button>
        )
      }
    >
      {!isEmpty && (
        <div class="toolbar">
          {environments.length > 1 && (
            <FilterSelect
              label="Environment"
              name="server"
              value={server}
              choices={[
                { value: "", title: "All environments" },
                ...environments.map(({ name, title }) => ({ value: name, title: title ?? name })),
              ]}
            />
          )}
          <Segmented
            label="State"
            value={status}
            choices={{ "": "All", open: "Open", over: "Ended" }}
            onChange={(value) => setQuery({ status: value })}
          />
        </div>
      )}
      <Table
        label="Episodes"
        list={list}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => href("episodes", [id])}
        columns={columns}
        empty={<NoEpisodes hasEnvironments={environments.length > 0} isFiltered={isFiltered} />}
      />
      {isStarting && <StartDialog server={server} onClose={() => setStarting(false)} />}
    </Page>
  );
}

const columns: readonly Column<EpisodeSummary>[] = [
  {
    title: "Episode",
    cell: (episode) => <Name episode={episode} />,
    under: (episode) => (
      <span class="row-facts">
        <span>
          <Start episode={episode} />
        </span>
        <span>
          {plural(episode.stepCount, "step")}
          {episode.playedBy && (
            <>
              {" "}
              by <Player by={episode.playedBy} />
            </>
          )}
        </span>
        <Time at={episode.lastUsedAt} />
      </span>
    ),
    class: "episode-column",
  },
  { title: "State", cell: (episode) => <StateBadge episode={episode} />, width: "7.5rem", isWide: true },
  { title: "Steps", cell: ({ stepCount }) => count(stepCount), width: "4.5rem", align: "end", isWide: true },
  {
    title: "Reward",
    cell: ({ totalReward }) => <Reward value={totalReward} />,
    width: "min(5.5rem, 20vw)",
    align: "end",
  },
  {
    title: "Last reward",
    cell: ({ lastReward }) => <Reward value={lastReward} isSigned />,
    width: "6.5rem",
    align: "end",
    isRoomy: true,
  },
  {
    title: "Played by",
    cell: ({ playedBy }) => <Player by={playedBy} hasRoute />,
    width: "min(16rem, 15vw)",
    isWide: true,
  },
  { title: "Config", cell: ({ config }) => <Config config={config} />, isRoomy: true },
  { title: "Started", cell: ({ startedAt }) => <Time at={startedAt} />, width: "7.5rem", align: "end", isWide: true },
  {
    title: "Last used",
    cell: ({ lastUsedAt }) => <Time at={lastUsedAt} />,
    width: "7.5rem",
    align: "end",
    isWide: true,
  },
];

function Config({ config }: Pick<EpisodeSummary, "config">): JSX.Element {
  const text = shortInput(config);
  if (text === "") return <span class="muted">default</span>;
  return <Text value={text} maxLength={120} isFixed isMono class="muted" />;
}

function Name({ episode }: { readonly episode: EpisodeSummary }): JSX.Element {
  return (
    <span class="episode-name">
      <Text value={episode.server} maxLength={80} isFixed />
      <span class="phone-only">
        <StateBadge episode={episode} />
      </span>
      <span class="muted wide-only">
        <Start episode={episode} />
      </span>
    </span>
  );
}

/** How an episode began: from which trace, with which label and seed. */
function Start({ episode: { label, seed, origin } }: { readonly episode: EpisodeSummary }): JSX.Element {
  return (
    <>
      {origin && (
        <span title={`Replayed from a trace, ${origin.step} steps`}>
          <Icon name="fork" size={12} />{" "}
        </span>
      )}
      {label !== null && (
        <>
          <Text value={label} maxLength={60} isFixed /> ·{" "}
        </>
      )}
      seed <Text value={seed} maxLength={24} isFixed />
    </>
  );
}

function NoEpisodes(props: { readonly hasEnvironments: boolean; readonly isFiltered: boolean }): JSX.Element {
  if (props.isFiltered)
    return (
      <Empty title="No matching episodes" icon="episodes">
        <Button size="small" onClick={() => setQuery({ server: undefined, status: undefined })}>
          Show all episodes
        </Button>
      </Empty>
    );
  if (!props.hasEnvironments)
    return (
      <Empty title="No environment is served here" icon="episodes" actions={<GuideLink page="environments" />}>
        <p>
          An environment is a task with rewards, such as a game. An episode is one attempt at it. Stop this server and
          serve <code>frozen-lake</code>, an example that is built in:
        </p>
        <Snippet text="biplane serve frozen-lake" language="shell" label="command" />
      </Empty>
    );
  return (
    <Empty title="No episodes yet" icon="episodes" actions={<GuideLink page="environments" />}>
      <p>
        {mayUse("episodes")
          ? "Start an episode here and play it by hand, or run an agent in a terminal:"
          : "Run an agent in a terminal:"}
      </p>
      <Snippet text={`biplane rollout --url ${mcpUrl()} --agent random -n 20`} language="shell" label="command" />
    </Empty>
  );
}

/** The MCP URL of the first environment. */
function mcpUrl(): string {
  const { url = "http://127.0.0.1:8000", servers = [] } = serverOverview.value ?? {};
  return `${url}${servers.find(({ kind }) => kind === "environment")?.base ?? ""}/mcp`;
}
