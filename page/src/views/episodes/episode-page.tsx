import type { JSX } from "preact";
import type { EpisodeDetail } from "../../../../packages/biplane/src/admin/episodes/episode-api.ts";
import { mayUse } from "../../access.ts";
import { ApiError } from "../../api.ts";
import { Badge } from "../../components/badge.tsx";
import { Card, Page } from "../../components/page.tsx";
import { Empty, Loaded } from "../../components/states.tsx";
import { ViewOnly } from "../../components/view-only.tsx";
import { serverOverview } from "../../server-overview.ts";
import { useResource } from "../../resource.ts";
import { href } from "../../router.ts";
import { EpisodeActions } from "./episode-actions.tsx";
import { EndedNotice, EpisodeFacts, RewardSummary } from "./episode-facts.tsx";
import { Lineage } from "./episode-lineage.tsx";
import { StateCard } from "./episode-state.tsx";
import { EpisodeSteps } from "./episode-steps.tsx";
import { useChanges } from "./live-list.ts";
import { PlayPanel } from "./play-panel.tsx";
import { StateBadge } from "./state-badge.tsx";

/** One episode, updated live, with controls to play it. */
export function EpisodePage({ id }: { readonly id: string }): JSX.Element {
  const episode = useResource("/api/episodes/:id", { id });
  const refresh = useChanges("episodes", id, { reload: episode.reload, everyMs: 250 });
  const { data, error } = episode;
  const isGone = error instanceof ApiError && error.status === 404;
  return (
    <Page
      title={data ? episodeTitle(data) : "Episode"}
      aside={data && <Aside episode={data} isGone={isGone} />}
      parent={{ title: "Episodes", href: href("episodes") }}
      actions={data && !isGone && <EpisodeActions episode={data} />}
    >
      {isGone && !data ? (
        <Empty title="Episode not found" icon="episodes">
          It may have ended. Episodes are deleted when they are ended, or after a period of inactivity.{" "}
          <a href={href("episodes")}>All episodes</a>
        </Empty>
      ) : (
        <Loaded resource={isGone ? { ...episode, error: undefined } : episode} rows={8}>
          {(opened) => <Opened episode={opened} isGone={isGone} onPlayed={episode.replace} onCall={refresh} />}
        </Loaded>
      )}
    </Page>
  );
}

/** `frozen-lake, seed 42`, with the label that a client gave it. */
export function episodeTitle({ server, label, seed }: Pick<EpisodeDetail, "server" | "label" | "seed">): string {
  return [server, ...(label === null ? [] : [label.slice(0, 60)]), `seed ${seed}`].join(", ");
}

function Aside({ episode, isGone }: { readonly episode: EpisodeDetail; readonly isGone: boolean }): JSX.Element {
  return isGone ? <Badge tone="plain">deleted</Badge> : <StateBadge episode={episode} />;
}

function Opened(props: {
  readonly episode: EpisodeDetail;
  readonly isGone: boolean;
  readonly onPlayed: (episode: EpisodeDetail) => void;
  readonly onCall: () => void;
}): JSX.Element {
  const { episode, isGone, onPlayed, onCall } = props;
  const isOver = episode.terminated || episode.truncated;
  const mayPlay = serverOverview.value?.mode === "simulation";
  return (
    <>
      <Lineage episode={episode} />
      {(isOver || isGone) && <EndedNotice episode={episode} isGone={isGone} />}
      <div class="split split-side episode-split">
        <div class="stack">
          <StateCard episode={episode} onCall={onCall} />
          {!isOver && !isGone && (
            <Card class="episode-play" title="Play by hand">
              {mayPlay && !mayUse("episodes") ? (
                <ViewOnly action="Playing" scope="episodes" />
              ) : mayPlay ? (
                <PlayPanel episode={episode} onPlayed={onPlayed} />
              ) : (
                <p class="muted">Episodes cannot be played by hand in production mode.</p>
              )}
            </Card>
          )}
        </div>
        <div class="stack">
          <RewardSummary episode={episode} />
          <Card class="episode-about" title="Details">
            <EpisodeFacts episode={episode} />
          </Card>
          <Card
            class="episode-history"
            title="Steps"
            actions={episode.steps.length > 0 && <span class="muted small">Reward</span>}
          >
            <EpisodeSteps episode={episode} />
          </Card>
        </div>
      </div>
    </>
  );
}
