import { useEffect, useState } from "preact/hooks";
import type { ShownCall } from "../../../../src/desk/contract.ts";
import { ask } from "../../api.ts";
import { useEvents } from "../../events.ts";

/** Who made the last call in each episode that something was called in lately. */
export function usePlayers(): ReadonlyMap<string, string> {
  const [players, setPlayers] = useState<ReadonlyMap<string, string>>(new Map());
  const add = (calls: readonly ShownCall[]) => setPlayers((known) => withCalls(known, calls));
  useEffect(() => {
    // Whoever may not see calls sees episodes without their players.
    ask<{ calls: readonly ShownCall[] }>("GET /api/calls", { query: { limit: 500 } }).then(
      ({ calls }) => add([...calls].reverse()),
      () => undefined,
    );
  }, []);
  useEvents("calls", ({ calls }) => add(calls));
  return players;
}

/** A caller in a word: a person by name, else what the agent calls itself, else who it is proven to be. */
export function playerOf({ agent, principal }: Pick<ShownCall, "agent" | "principal">): string {
  if (principal.kind === "person") return principal.id;
  return agent.agentId === "" || agent.agentId === "unknown" ? principal.id : agent.agentId;
}

function withCalls(known: ReadonlyMap<string, string>, calls: readonly ShownCall[]): ReadonlyMap<string, string> {
  const fresh = calls.filter(({ episode }) => episode !== null);
  if (fresh.every((call) => known.get(call.episode ?? "") === playerOf(call))) return known;
  const next = new Map(known);
  for (const call of fresh) next.set(call.episode ?? "", playerOf(call));
  return next;
}
