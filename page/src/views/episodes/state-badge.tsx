import type { JSX } from "preact";
import type { EpisodeSummary } from "../../../../packages/biplane/src/admin/episodes/episode-api.ts";
import { Badge } from "../../components/badge.tsx";

type EpisodeFlags = Pick<EpisodeSummary, "terminated" | "truncated" | "fault">;

/** Whether an episode is open, and if not, why. */
export function StateBadge({ episode }: { readonly episode: EpisodeFlags }): JSX.Element {
  if (episode.fault !== null)
    return (
      <Badge tone="bad" dot title="The reward or the ending could not be computed">
        error
      </Badge>
    );
  if (episode.terminated)
    return (
      <Badge tone="plain" dot title="The environment ended the episode">
        terminated
      </Badge>
    );
  if (episode.truncated)
    return (
      <Badge tone="warn" dot title="A limit ended the episode">
        truncated
      </Badge>
    );
  return (
    <Badge tone="good" dot>
      open
    </Badge>
  );
}
