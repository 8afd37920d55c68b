import { useEffect, useState } from "preact/hooks";
import type { CallSummary } from "../../../../packages/biplane/src/admin/calls/call-api.ts";
import { mayRead } from "../../access.ts";
import { callApi } from "../../api.ts";
import { useEvents } from "../../events.ts";

/** The last caller of each recently used episode. */
export function usePlayers(): ReadonlyMap<string, string> {
  const [players, setPlayers] = useState<ReadonlyMap<string, string>>(new Map());
  const add = (calls: readonly CallSummary[]) => setPlayers((known) => withCalls(known, calls));
  useEffect(() => {
    // Users without the scope `calls` see episodes without players.
    if (!mayRead("calls")) return;
    callApi("GET /api/calls", { query: { limit: 500 } }).then(
      ({ calls }) => add([...calls].reverse()),
      () => undefined,
    );
  }, []);
  useEvents("calls", ({ calls }) => add(calls));
  return players;
}

/** A short name: the person, the self-reported agent ID, or the authenticated identity. */
export function playerOf({ agent, principal }: Pick<CallSummary, "agent" | "principal">): string {
  if (principal.kind === "person") return principal.id;
  return agent.agentId === "" || agent.agentId === "unknown" ? principal.id : agent.agentId;
}

function withCalls(known: ReadonlyMap<string, string>, calls: readonly CallSummary[]): ReadonlyMap<string, string> {
  const fresh = calls.filter(({ episode }) => episode !== null);
  if (fresh.every((call) => known.get(call.episode ?? "") === playerOf(call))) return known;
  const next = new Map(known);
  for (const call of fresh) next.set(call.episode ?? "", playerOf(call));
  return next;
}
