import type { JSX } from "preact";
import type { EpisodeSummary } from "../../../../packages/biplane/src/admin/episodes/episode-api.ts";
import { Input, Select } from "../../components/field.tsx";
import { Problem } from "../../components/states.tsx";
import { plural } from "../../format.ts";
import type { PagedList } from "../../paged-list.ts";
import { href } from "../../router.ts";

/** Chooses an open episode for a call, or a new one with a seed. */
export function EpisodeChoice(props: {
  readonly list: PagedList<EpisodeSummary>;
  /** Empty for a new episode. */
  readonly episode: string;
  readonly seed: string;
  onEpisode(episode: string): void;
  onSeed(seed: string): void;
}): JSX.Element {
  const { list, episode, seed } = props;
  const isKnown = episode === "" || list.items.some(({ id }) => id === episode);
  return (
    <div class="tools-episode">
      {list.error !== undefined && <Problem error={list.error} retry={list.reload} />}
      <Select
        label="Episode"
        value={episode}
        choices={[
          { value: "", title: "Start a new episode" },
          ...(isKnown ? [] : [{ value: episode, title: `${short(episode)} (not open)` }]),
          ...list.items.map((each) => ({ value: each.id, title: titleOf(each) })),
        ]}
        hint={episode !== "" && <a href={href("episodes", [episode])}>View this episode</a>}
        onChange={(value) => props.onEpisode(value)}
      />
      {episode === "" && (
        <Input
          label="Seed"
          value={seed}
          isMono
          placeholder="random"
          error={isSeed(seed) ? undefined : "Enter a whole number, 0 or greater."}
          onInput={(value) => props.onSeed(value)}
        />
      )}
    </div>
  );
}

export function isSeed(text: string): boolean {
  return text === "" || /^\d{1,40}$/.test(text);
}

function titleOf({ id, label, seed, stepCount }: EpisodeSummary): string {
  const name = label === null ? short(id) : label.slice(0, 24);
  return `${name} · seed ${seed.slice(0, 12)} · ${plural(stepCount, "step")}`;
}

function short(id: string): string {
  return id.slice(0, 8);
}
