import type { JSX } from "preact";
import type { OpenedEpisode } from "../../../../src/desk/contract.ts";
import { Icon } from "../../components/icon.tsx";
import { Text } from "../../components/text.tsx";
import { plural } from "../../format.ts";
import { href } from "../../router.ts";
import { forks } from "./kin.ts";

/** Where an episode comes from and what was forked off it. */
export function Kin({ episode: { id, origin } }: { readonly episode: OpenedEpisode }): JSX.Element | null {
  const from = forks.value.find(({ to }) => to === id);
  const off = forks.value.filter((fork) => fork.from === id);
  if (!from && off.length === 0 && !origin) return null;
  return (
    <ul class="episode-kin" aria-label="Where it belongs">
      {origin && (
        <li>
          <Icon name="runs" size={14} />
          <span>
            Replayed from <a href={traceHref(origin.trace, origin.step)}>a trace</a>, up to step {origin.step}
          </span>
        </li>
      )}
      {from && (
        <li>
          <Icon name="fork" size={14} />
          <span>
            A fork of <EpisodeLink id={from.from} />, made after {plural(from.step, "step")}
          </span>
        </li>
      )}
      {off.map(({ to, step }) => (
        <li key={to}>
          <Icon name="fork" size={14} />
          <span>
            Forked to <EpisodeLink id={to} /> after {plural(step, "step")}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Where a trace is, at a step; its id says which run it is of. */
export function traceHref(trace: string, step?: number): string {
  return href("runs", [trace.slice(0, trace.lastIndexOf(":")), trace], { step });
}

function EpisodeLink({ id }: { readonly id: string }): JSX.Element {
  return (
    <a class="mono" href={href("episodes", [id])}>
      <Text value={id.slice(0, 10)} isFixed />
    </a>
  );
}
