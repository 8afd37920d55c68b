import type { JSX } from "preact";
import type { ShownEpisode } from "../../../../src/desk/contract.ts";
import { Input, Select } from "../../components/field.tsx";
import { Problem } from "../../components/states.tsx";
import { plural } from "../../format.ts";
import type { Pages } from "../../pages.ts";
import { href } from "../../router.ts";

/** Which episode a call belongs to: one that is open, or a new one with a seed. */
export function EpisodeChoice(props: {
  readonly list: Pages<ShownEpisode>;
  /** Empty for a new one. */
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
          { value: "", title: "Begin a new one" },
          ...(isKnown ? [] : [{ value: episode, title: `${short(episode)} (not among the open ones)` }]),
          ...list.items.map((each) => ({ value: each.id, title: titleOf(each) })),
        ]}
        hint={episode !== "" && <a href={href("episodes", [episode])}>Look at this episode</a>}
        onChange={(value) => props.onEpisode(value)}
      />
      {episode === "" && (
        <Input
          label="Seed"
          value={seed}
          isMono
          placeholder="drawn"
          error={isSeed(seed) ? undefined : "A whole number from 0 up"}
          onInput={(value) => props.onSeed(value)}
        />
      )}
    </div>
  );
}

export function isSeed(text: string): boolean {
  return text === "" || /^\d{1,40}$/.test(text);
}

function titleOf({ id, label, seed, stepCount }: ShownEpisode): string {
  const name = label === null ? short(id) : label.slice(0, 24);
  return `${name} · seed ${seed.slice(0, 12)} · ${plural(stepCount, "step")}`;
}

function short(id: string): string {
  return id.slice(0, 8);
}
