import type { JSX } from "preact";
import type { OpenedEpisode } from "../../../../src/desk/contract.ts";
import { ApiError, segment } from "../../api.ts";
import { Badge } from "../../components/badge.tsx";
import { Json } from "../../components/json.tsx";
import { Card, Page } from "../../components/page.tsx";
import { Empty, Loaded } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { useEvents, useReconnected } from "../../events.ts";
import { count } from "../../format.ts";
import { house } from "../../house.ts";
import { useResource } from "../../resource.ts";
import { href } from "../../router.ts";
import { EpisodeActions } from "./episode-actions.tsx";
import { About, OverNotice, Standing } from "./episode-facts.tsx";
import { Kin } from "./episode-kin.tsx";
import { StateCard } from "./episode-state.tsx";
import { EpisodeSteps } from "./episode-steps.tsx";
import { useThrottled } from "./live-list.ts";
import { PlayPanel } from "./play-panel.tsx";
import { StateBadge } from "./state-badge.tsx";

/** One episode as it stands now, to watch and to play. */
export function EpisodePage({ id }: { readonly id: string }): JSX.Element {
  const episode = useResource<OpenedEpisode>(`/api/episodes/${segment(id)}`);
  const look = useThrottled(episode.reload, 250);
  useEvents("episodes", ({ changed }) => {
    if (changed.length === 0 || changed.includes(id)) look();
  });
  useReconnected(look);
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
          {(opened) => <Opened episode={opened} isGone={isGone} onPlayed={episode.replace} onCall={look} />}
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
  readonly onPlayed: (episode: OpenedEpisode) => void;
  readonly onCall: () => void;
}): JSX.Element {
  const { episode, isGone, onPlayed, onCall } = props;
  const isOver = episode.terminated || episode.truncated;
  const mayPlay = house.value?.mode === "simulation";
  return (
    <>
      <Kin episode={episode} />
      {(isOver || isGone) && <OverNotice episode={episode} isGone={isGone} />}
      <div class="split split-side episode-split">
        <div class="stack">
          <StateCard episode={episode} onCall={onCall} />
          {!isOver && !isGone && (
            <Card class="episode-play" title="Play by hand">
              {mayPlay ? (
                <PlayPanel episode={episode} onPlayed={onPlayed} />
              ) : (
                <p class="muted">In production episodes can be looked at, not played by hand.</p>
              )}
            </Card>
          )}
          <Card
            class="episode-made"
            title="Steps"
            actions={<span class="muted small num">{count(episode.stepCount)}</span>}
          >
            <EpisodeSteps steps={episode.steps} />
          </Card>
        </div>
        <div class="stack">
          <Standing episode={episode} />
          {episode.rendered && (
            <Card class="episode-seen" title="Observation">
              <Json value={episode.observation} depth={3} copyLabel="Copy the observation" />
            </Card>
          )}
          <Card class="episode-about" title="About it">
            <About episode={episode} />
          </Card>
        </div>
      </div>
    </>
  );
}
