import type { JSX } from "preact";
import type { OpenedEpisode } from "../../../../src/desk/contract.ts";
import { Icon } from "../../components/icon.tsx";
import { Text } from "../../components/text.tsx";
import { plural } from "../../format.ts";
import { href } from "../../router.ts";

/** Where an episode comes from and what was forked off it. */
export function Kin({ episode }: { readonly episode: OpenedEpisode }): JSX.Element | null {
  const { origin, forkOf, forks } = episode;
  if (!forkOf && forks.length === 0 && !origin) return null;
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
      {forkOf && (
        <li>
          <Icon name="fork" size={14} />
          <span>
            A fork of <EpisodeLink id={forkOf.episode} />, made after {plural(forkOf.step, "step")}
          </span>
        </li>
      )}
      {forks.map(({ episode: id, step }) => (
        <li key={id}>
          <Icon name="fork" size={14} />
          <span>
            Forked to <EpisodeLink id={id} /> after {plural(step, "step")}
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
