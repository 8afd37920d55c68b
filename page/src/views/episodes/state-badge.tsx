import type { JSX } from "preact";
import type { ShownEpisode } from "../../../../src/desk/contract.ts";
import { Badge } from "../../components/badge.tsx";

type Standing = Pick<ShownEpisode, "terminated" | "truncated" | "fault">;

/** Whether an episode goes on, and if not, why. */
export function StateBadge({ episode }: { readonly episode: Standing }): JSX.Element {
  if (episode.fault !== null)
    return (
      <Badge tone="bad" dot title="Its reward or its ending could not be worked out">
        fault
      </Badge>
    );
  if (episode.terminated)
    return (
      <Badge tone="plain" dot title="The environment ended it">
        over
      </Badge>
    );
  if (episode.truncated)
    return (
      <Badge tone="warn" dot title="A limit ended it">
        cut off
      </Badge>
    );
  return (
    <Badge tone="good" dot>
      open
    </Badge>
  );
}
