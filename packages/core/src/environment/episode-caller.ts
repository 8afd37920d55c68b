import type { CallRequest } from "../call/live-call.ts";
import type { Principal, Route } from "../tool/call.ts";

/** Who made the last step of an episode. */
export interface EpisodeCaller {
  /** The agent ID that the caller reported. */
  readonly agentId: string;
  readonly principal: Pick<Principal, "kind" | "id">;
  readonly route: Route;
}

/** Who makes a call. Returns the player known before if it is still the same, so that most steps allocate nothing. */
export function playerOf(request: CallRequest, known: EpisodeCaller | undefined): EpisodeCaller {
  const { agent, principal, route } = request;
  const { kind, id } = principal;
  const isKnown =
    known?.agentId === agent.agentId &&
    known.principal.id === id &&
    known.principal.kind === kind &&
    known.route === route;
  return isKnown ? known : { agentId: agent.agentId, principal: { kind, id }, route };
}
