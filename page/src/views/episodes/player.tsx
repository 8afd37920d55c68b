import type { JSX } from "preact";
import type { EpisodeSummary } from "../../../../packages/biplane/src/admin/episodes/episode-api.ts";
import { Text } from "../../components/text.tsx";

/** Who made the last step of an episode: the person, the self-reported agent, or the authenticated identity. */
export function Player(props: {
  readonly by: EpisodeSummary["playedBy"];
  /** Adds how the step arrived. */
  readonly hasRoute?: boolean;
}): JSX.Element {
  const { by, hasRoute = false } = props;
  if (!by) return <span class="muted">no one yet</span>;
  return (
    <>
      <Text value={nameOf(by)} maxLength={80} isFixed />
      {hasRoute && <span class="muted"> via {by.route === "people" ? "this page" : by.route}</span>}
    </>
  );
}

function nameOf({ agentId, principal }: NonNullable<EpisodeSummary["playedBy"]>): string {
  if (principal.kind === "person") return principal.id;
  return agentId === "" || agentId === "unknown" ? `${principal.kind} ${principal.id}` : agentId;
}
