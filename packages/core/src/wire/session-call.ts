import { LiveCall } from "../call/live-call.ts";
import type { Outcome } from "../call/outcome.ts";
import { Episode } from "../environment/episode.ts";
import type { Principal } from "../tool/call.ts";
import { agentContext } from "./agent.ts";
import type { EpisodeSession } from "./episode-sessions.ts";

export interface SessionCallOptions {
  readonly tool: string;
  readonly input: unknown;
  readonly principal: Principal;
  /** Names the agent in records, because the protocol does not. */
  readonly agentId: string;
}

/** A call that has ended, and the episode in which it was made. */
export interface CallInSession {
  readonly call: LiveCall;
  readonly outcome: Outcome;
  readonly episode: Episode;
}

/** Makes one step in the episode of a session. It ends with the session, not with the connection. */
export async function callInSession(
  { environment, calls }: Pick<EpisodeSession<unknown>, "environment" | "calls">,
  episode: Episode,
  { tool, input, principal, agentId }: SessionCallOptions,
): Promise<CallInSession> {
  const call = new LiveCall({
    tool,
    input,
    route: "step",
    agent: agentContext(undefined, agentId),
    principal,
    scope: () => environment.episodes.latest(episode),
    patienceMs,
  });
  calls.add(call);
  try {
    const outcome = await environment.server.perform(call);
    return { call, outcome, episode: call.scope instanceof Episode ? call.scope : episode };
  } finally {
    calls.delete(call);
  }
}

/** How long a call waits for an approval. */
const patienceMs = 10 * 60_000;
