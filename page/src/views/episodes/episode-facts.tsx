import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { EpisodeDetail } from "../../../../packages/biplane/src/admin/episodes/episode-api.ts";
import { Button, LinkButton } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { Json } from "../../components/json.tsx";
import { Card, Facts, Figure } from "../../components/page.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { count, plural } from "../../format.ts";
import { serverOverview } from "../../server-overview.ts";
import { href } from "../../router.ts";
import { StartDialog } from "./start-dialog.tsx";
import { RewardParts } from "./reward-parts.tsx";
import { Player } from "./player.tsx";
import { Reward } from "./reward.tsx";

/** The rewards of an episode. */
export function RewardSummary({ episode }: { readonly episode: EpisodeDetail }): JSX.Element {
  const { totalReward, lastReward, stepCount, parts, failure } = episode;
  return (
    <div class="stack-tight episode-rewards">
      <div class="figures episode-figures">
        <Figure title="Total reward" value={<Reward value={totalReward} />} />
        <Figure title="Last reward" value={<Reward value={lastReward} isSigned />} />
        <Figure title="Steps" value={count(stepCount)} />
      </div>
      {parts && Object.keys(parts).length > 0 && (
        <Card title="Parts of the last reward">
          <RewardParts parts={parts} />
        </Card>
      )}
      {failure !== null && (
        <div class="problem">
          <Text value={failure.message} maxLength={1000} />
        </div>
      )}
    </div>
  );
}

/** How the episode was started, and who plays it. */
export function EpisodeFacts({ episode }: { readonly episode: EpisodeDetail }): JSX.Element {
  const { id, seed, label, config, startedAt, lastUsedAt } = episode;
  return (
    <Facts
      facts={[
        ["Seed", <Text key="seed" value={seed} maxLength={60} isMono />],
        label !== null && ["Label", <Text key="label" value={label} />],
        ["Config", <Config key="config" config={config} />],
        ["Played by", <Player key="player" by={episode.playedBy} hasRoute />],
        ["Started", <Time key="started" at={startedAt} />],
        ["Last used", <Time key="used" at={lastUsedAt} />],
        [
          "ID",
          <span key="id" class="episode-id">
            <Text value={id} isMono class="ellipsis" />
            <CopyButton text={id} label="Copy ID" />
          </span>,
        ],
      ]}
    />
  );
}

/** A few plain values as `name value`, others as a tree. */
function Config({ config }: Pick<EpisodeDetail, "config">): JSX.Element {
  const entries = typeof config === "object" && config !== null ? Object.entries(config) : [];
  if (entries.length === 0) return <span class="muted">default</span>;
  if (entries.length > 4 || entries.some(([, value]) => typeof value === "object"))
    return <Json value={config} depth={2} />;
  return (
    <ul>
      {entries.map(([name, value]) => (
        <li key={name}>
          <Text value={name} maxLength={60} isFixed class="muted" />{" "}
          <Text value={String(value)} maxLength={200} isMono />
        </li>
      ))}
    </ul>
  );
}

/** Why the episode ended, with a button that starts it again. */
export function EndedNotice({
  episode,
  isGone,
}: {
  readonly episode: EpisodeDetail;
  readonly isGone: boolean;
}): JSX.Element {
  const [isStarting, setStarting] = useState(false);
  const { terminated, truncated, stepCount, server, seed, config } = episode;
  const why = terminated
    ? "The environment ended it"
    : truncated
      ? "A limit truncated it"
      : "It was ended, or it expired after inactivity,";
  return (
    <div class="notice" role="status">
      <div class="grow">
        <b>{isGone ? "This episode no longer exists." : "This episode has ended."}</b> {why} after{" "}
        {plural(stepCount, "step")} with a total reward of <Reward value={episode.totalReward} />.
      </div>
      {serverOverview.value?.mode === "simulation" && (
        <Button size="small" icon="refresh" onClick={() => setStarting(true)}>
          Start again
        </Button>
      )}
      {isGone && (
        <LinkButton size="small" href={href("episodes")}>
          All episodes
        </LinkButton>
      )}
      {isStarting && (
        <StartDialog
          server={server}
          seed={seed}
          config={typeof config === "object" && config !== null ? config : undefined}
          onClose={() => setStarting(false)}
        />
      )}
    </div>
  );
}
