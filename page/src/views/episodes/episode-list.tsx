import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ShownEpisode } from "../../../../src/desk/contract.ts";
import { Button } from "../../components/button.tsx";
import { Snippet } from "../../components/copy.tsx";
import { Segmented, Select } from "../../components/field.tsx";
import { Icon } from "../../components/icon.tsx";
import { Page } from "../../components/page.tsx";
import { Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { count } from "../../format.ts";
import { house } from "../../house.ts";
import { href, place, setQuery } from "../../router.ts";
import { BeginDialog } from "./begin-dialog.tsx";
import { useLiveList } from "./live-list.ts";
import { usePlayers } from "./players.ts";
import { Reward } from "./reward.tsx";
import { StateBadge } from "./state-badge.tsx";

/** The episodes of everything that is served, as they are played. */
export function EpisodeList(): JSX.Element {
  const { server = "", status = "" } = place.value.query;
  const list = useLiveList("episodes", { server, status });
  const players = usePlayers();
  const [isBeginning, setBeginning] = useState(false);
  const environments = (house.value?.servers ?? []).filter(({ kind }) => kind === "environment");
  const mayBegin = environments.length > 0 && house.value?.mode === "simulation";
  return (
    <Page
      title="Episodes"
      about="What is being played now, by agents, trainers and people."
      actions={
        mayBegin && (
          <Button kind="main" icon="plus" onClick={() => setBeginning(true)}>
            Begin an episode
          </Button>
        )
      }
    >
      <div class="toolbar">
        {environments.length > 1 && (
          <Select
            label="Environment"
            isLabelHidden
            value={server}
            choices={[
              { value: "", title: "Every environment" },
              ...environments.map(({ name, title }) => ({ value: name, title: title ?? name })),
            ]}
            onChange={(value) => setQuery({ server: value })}
          />
        )}
        <Segmented
          label="State"
          value={status}
          choices={[
            { value: "", title: "All" },
            { value: "open", title: "Open" },
            { value: "over", title: "Over" },
          ]}
          onChange={(value) => setQuery({ status: value })}
        />
      </div>
      <Table
        label="Episodes"
        list={list}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => href("episodes", [id])}
        columns={columnsFor(players)}
        empty={<NoEpisodes hasEnvironments={environments.length > 0} isFiltered={server !== "" || status !== ""} />}
      />
      {isBeginning && <BeginDialog server={server} onClose={() => setBeginning(false)} />}
    </Page>
  );
}

function columnsFor(players: ReadonlyMap<string, string>): readonly Column<ShownEpisode>[] {
  return [
    { title: "Episode", cell: (episode) => <Name episode={episode} /> },
    { title: "State", cell: (episode) => <StateBadge episode={episode} />, width: "6rem" },
    { title: "Steps", cell: ({ stepCount }) => count(stepCount), width: "4.5rem", align: "end", isWide: true },
    { title: "Reward", cell: ({ totalReward }) => <Reward value={totalReward} />, width: "5.5rem", align: "end" },
    {
      title: "Last",
      cell: ({ lastReward }) => <Reward value={lastReward} isSigned />,
      width: "5rem",
      align: "end",
      isWide: true,
    },
    {
      title: "Played by",
      cell: ({ id }) => <Text value={players.get(id) ?? "–"} most={80} isFixed />,
      width: "11rem",
      isWide: true,
    },
    { title: "Begun", cell: ({ startedAt }) => <Time at={startedAt} />, width: "7rem", align: "end", isWide: true },
    {
      title: "Last used",
      cell: ({ lastUsedAt }) => <Time at={lastUsedAt} />,
      width: "7rem",
      align: "end",
      isWide: true,
    },
  ];
}

function Name({ episode }: { readonly episode: ShownEpisode }): JSX.Element {
  const { server, label, seed, origin } = episode;
  return (
    <span class="episode-name">
      <Text value={server} most={80} isFixed />
      <span class="muted">
        {label !== null && (
          <>
            <Text value={label} most={60} isFixed /> ·{" "}
          </>
        )}
        seed <Text value={seed} most={24} isFixed />
      </span>
      {origin && (
        <span class="muted" title={`Replayed from a trace, ${origin.step} steps`}>
          <Icon name="fork" size={12} />
        </span>
      )}
    </span>
  );
}

function NoEpisodes(props: { readonly hasEnvironments: boolean; readonly isFiltered: boolean }): JSX.Element {
  if (props.isFiltered)
    return (
      <Empty title="No episode fits" icon="episodes">
        <Button size="small" onClick={() => setQuery({ server: undefined, status: undefined })}>
          Show all episodes
        </Button>
      </Empty>
    );
  if (!props.hasEnvironments)
    return (
      <Empty title="No environment is served here" icon="episodes">
        Episodes belong to environments. Serve one, and what is played in it shows up here.
        <Snippet text="biplane serve frozen-lake" language="shell" label="command" />
      </Empty>
    );
  return (
    <Empty title="Nothing is being played" icon="episodes">
      Begin an episode here and play it by hand, or let an agent play one:
      <Snippet text={`biplane rollout --url ${addressOf()} --agent random -n 20`} language="shell" label="command" />
    </Empty>
  );
}

/** Where an agent elsewhere finds the first environment. */
function addressOf(): string {
  const { url = "http://127.0.0.1:8000", servers = [] } = house.value ?? {};
  return `${url}${servers.find(({ kind }) => kind === "environment")?.base ?? ""}/mcp`;
}
