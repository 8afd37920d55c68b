import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { OpenedEpisode, ShownCall } from "../../../../src/desk/contract.ts";
import { segment } from "../../api.ts";
import { Button, LinkButton } from "../../components/button.tsx";
import { Json } from "../../components/json.tsx";
import { Card, Facts, Figure } from "../../components/page.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { count, plural } from "../../format.ts";
import { house } from "../../house.ts";
import { useResource } from "../../resource.ts";
import { href } from "../../router.ts";
import { BeginDialog } from "./begin-dialog.tsx";
import { RewardParts } from "./parts.tsx";
import { playerOf } from "./players.ts";
import { Reward } from "./reward.tsx";

/** What it has earned. */
export function Standing({ episode }: { readonly episode: OpenedEpisode }): JSX.Element {
  const { totalReward, lastReward, stepCount, parts, fault } = episode;
  return (
    <div class="stack-tight episode-standing">
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

/** How it was begun, and by whom it is played. */
export function About({ episode }: { readonly episode: OpenedEpisode }): JSX.Element {
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

/** It is over: why, and how to have it again. */
export function OverNotice({
  episode,
  isGone,
}: {
  readonly episode: OpenedEpisode;
  readonly isGone: boolean;
}): JSX.Element {
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
        <b>{isGone ? "This episode is gone." : "This episode is over."}</b> {why} after {plural(stepCount, "step")},
        with a total reward of <Reward value={episode.totalReward} />.
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
          config={typeof config === "object" && config !== null ? config : undefined}
          onClose={() => setBeginning(false)}
        />
      )}
    </div>
  );
}
