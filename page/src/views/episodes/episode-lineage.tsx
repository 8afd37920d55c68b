import type { JSX } from "preact";
import type { EpisodeDetail } from "../../../../packages/biplane/src/admin/episodes/episode-api.ts";
import { Icon } from "../../components/icon.tsx";
import { Text } from "../../components/text.tsx";
import { plural } from "../../format.ts";
import { href } from "../../router.ts";

/** The origin of an episode and its forks. */
export function Lineage({ episode }: { readonly episode: EpisodeDetail }): JSX.Element | null {
  const { origin, forkOf, forks } = episode;
  if (!forkOf && forks.length === 0 && !origin) return null;
  return (
    <ul class="episode-lineage" aria-label="Related episodes">
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
            Forked from <EpisodeLink id={forkOf.episode} /> after {plural(forkOf.step, "step")}
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

/** Link to a step of a trace. The trace id starts with the run id. */
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
