import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { OpenedEpisode, ShownCall } from "../../../../src/desk/contract.ts";
import { ApiError, segment } from "../../api.ts";
import { Badge } from "../../components/badge.tsx";
import { Button, LinkButton } from "../../components/button.tsx";
import { Json } from "../../components/json.tsx";
import { Card, Facts, Figure, Page } from "../../components/page.tsx";
import { Empty, Loaded } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { useEvents } from "../../events.ts";
import { count, plural } from "../../format.ts";
import { house } from "../../house.ts";
import { useResource } from "../../resource.ts";
import { href } from "../../router.ts";
import { BeginDialog } from "./begin-dialog.tsx";
import { EpisodeActions } from "./episode-actions.tsx";
import { EpisodeSteps } from "./episode-steps.tsx";
import { Kin } from "./episode-kin.tsx";
import { useThrottled } from "./live-list.ts";
import { RewardParts } from "./parts.tsx";
import { Picture } from "./picture.tsx";
import { PlayPanel } from "./play-panel.tsx";
import { playerOf } from "./players.ts";
import { Reward } from "./reward.tsx";
import { Screen } from "./screen.tsx";
import { Seen } from "./seen.tsx";
import { StateBadge } from "./state-badge.tsx";

/** One episode as it stands now, to watch and to play. */
export function EpisodePage({ id }: { readonly id: string }): JSX.Element {
  const episode = useResource<OpenedEpisode>(`/api/episodes/${segment(id)}`);
  const look = useThrottled(episode.reload, 250);
  useEvents("episodes", ({ changed }) => {
    if (changed.length === 0 || changed.includes(id)) look();
  });
  const { data, error } = episode;
  const isGone = error instanceof ApiError && error.status === 404;
  return (
    <Page
      title="Episode"
      aside={data && <Aside episode={data} isGone={isGone} />}
      parent={{ title: "Episodes", href: href("episodes") }}
      actions={data && !isGone && <EpisodeActions episode={data} />}
    >
      {isGone && !data ? (
        <Empty title="There is no such episode" icon="episodes">
          It may have ended: episodes go when they are ended, or when nobody has used them for a while.{" "}
          <a href={href("episodes")}>All episodes</a>
        </Empty>
      ) : (
        <Loaded resource={isGone ? { ...episode, error: undefined } : episode} rows={8}>
          {(opened) => <Opened episode={opened} isGone={isGone} onPlayed={episode.replace} />}
        </Loaded>
      )}
    </Page>
  );
}

function Aside({ episode, isGone }: { readonly episode: OpenedEpisode; readonly isGone: boolean }): JSX.Element {
  return (
    <>
      <Badge tone="accent">
        <Text value={episode.server} most={60} isFixed />
      </Badge>
      {isGone ? <Badge tone="plain">gone</Badge> : <StateBadge episode={episode} />}
    </>
  );
}

function Opened(props: {
  readonly episode: OpenedEpisode;
  readonly isGone: boolean;
  onPlayed(episode: OpenedEpisode): void;
}): JSX.Element {
  const { episode, isGone, onPlayed } = props;
  const isOver = episode.terminated || episode.truncated;
  const mayPlay = house.value?.mode === "simulation";
  return (
    <>
      <Kin episode={episode} />
      {(isOver || isGone) && <OverNotice episode={episode} isGone={isGone} />}
      <div class="split split-side">
        <div class="stack">
          <Card title="State">
            <Drawn episode={episode} />
          </Card>
          {!isOver && !isGone && (
            <Card title="Play by hand">
              {mayPlay ? (
                <PlayPanel episode={episode} onPlayed={onPlayed} />
              ) : (
                <p class="muted">In production episodes can be looked at, not played by hand.</p>
              )}
            </Card>
          )}
          <Card title="Steps" actions={<span class="muted small num">{count(episode.stepCount)}</span>}>
            <EpisodeSteps steps={episode.steps} />
          </Card>
        </div>
        <div class="stack">
          <Standing episode={episode} />
          {episode.rendered && (
            <Card title="Observation">
              <Seen value={episode.observation} label="Observation" />
            </Card>
          )}
          <Card title="About it">
            <About episode={episode} />
          </Card>
        </div>
      </div>
    </>
  );
}

/** What the environment draws for people, as large as it goes; else what the agent sees. */
function Drawn({ episode: { rendered, observation } }: { readonly episode: OpenedEpisode }): JSX.Element {
  if (!rendered) return <Seen value={observation} label="Observation" />;
  return rendered.kind === "text" ? (
    <Screen text={rendered.text} label="The state as the environment draws it" isLarge />
  ) : (
    <Picture address={`data:${rendered.mimeType};base64,${rendered.data}`} label="The state as the environment draws it" />
  );
}

function Standing({ episode }: { readonly episode: OpenedEpisode }): JSX.Element {
  const { totalReward, lastReward, stepCount, parts, fault } = episode;
  return (
    <div class="stack-tight">
      <div class="figures episode-figures">
        <Figure title="Total reward" value={<Reward value={totalReward} />} />
        <Figure title="Last reward" value={<Reward value={lastReward} isSigned />} />
        <Figure title="Steps" value={count(stepCount)} />
      </div>
      {parts && Object.keys(parts).length > 0 && (
        <Card title="Last reward by part">
          <RewardParts parts={parts} />
        </Card>
      )}
      {fault !== null && (
        <div class="problem">
          <Text value={fault} most={1000} />
        </div>
      )}
    </div>
  );
}

function About({ episode }: { readonly episode: OpenedEpisode }): JSX.Element {
  const { id, seed, label, config, startedAt, lastUsedAt } = episode;
  const hasConfig = typeof config === "object" && config !== null && Object.keys(config).length > 0;
  return (
    <Facts
      facts={[
        ["Seed", <Text key="seed" value={seed} most={60} isMono />],
        ...(label === null ? [] : [["Label", <Text key="label" value={label} />] as const]),
        ["Config", hasConfig ? <Json key="config" value={config} depth={2} /> : <span class="muted">none</span>],
        ["Played by", <Player key="player" call={episode.steps.at(-1)?.call ?? undefined} />],
        ["Begun", <Time key="begun" at={startedAt} />],
        ["Last used", <Time key="used" at={lastUsedAt} />],
        ["Id", <Text key="id" value={id} isMono />],
      ]}
    />
  );
}

function Player({ call }: { readonly call: string | undefined }): JSX.Element {
  const { data } = useResource<ShownCall>(call === undefined ? undefined : `/api/calls/${segment(call)}`);
  if (!data) return <span class="muted">{call === undefined ? "nobody yet" : "–"}</span>;
  return (
    <>
      <Text value={playerOf(data)} most={80} isFixed />{" "}
      <span class="muted">
        by <Text value={data.route} most={20} isFixed />
      </span>
    </>
  );
}

function OverNotice({ episode, isGone }: { readonly episode: OpenedEpisode; readonly isGone: boolean }): JSX.Element {
  const [isBeginning, setBeginning] = useState(false);
  const { terminated, truncated, stepCount, server, seed, config } = episode;
  const why = terminated
    ? "The environment ended it"
    : truncated
      ? "A limit cut it off"
      : "It was ended, or nobody used it for a while";
  return (
    <div class="over" role="status">
      <div class="grow">
        <b>{isGone ? "This episode is gone." : "This episode is over."}</b> {why} after {plural(stepCount, "step")}, with a
        total reward of <Reward value={episode.totalReward} />.
      </div>
      {house.value?.mode === "simulation" && (
        <Button size="small" icon="refresh" onClick={() => setBeginning(true)}>
          Begin it again
        </Button>
      )}
      {isGone && (
        <LinkButton size="small" href={href("episodes")}>
          All episodes
        </LinkButton>
      )}
      {isBeginning && (
        <BeginDialog
          server={server}
          seed={seed}
          config={typeof config === "object" && config !== null ? JSON.stringify(config) : ""}
          onClose={() => setBeginning(false)}
        />
      )}
    </div>
  );
}
