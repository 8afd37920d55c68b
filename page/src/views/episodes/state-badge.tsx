import type { JSX } from "preact";
import type { EpisodeSummary } from "../../../../packages/biplane/src/admin/episodes/episode-api.ts";
import { Badge } from "../../components/badge.tsx";

type EpisodeFlags = Pick<EpisodeSummary, "terminated" | "truncated" | "failure">;

/** Whether an episode is open, and if not, why. */
export function StateBadge({ episode }: { readonly episode: EpisodeFlags }): JSX.Element {
  const { failure } = episode;
  if (failure !== null)
    return (
      <Badge tone="bad" dot title={failure.masked ? "Something failed, so the reward is unknown" : "Something failed"}>
        {failure.kind} failed
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
