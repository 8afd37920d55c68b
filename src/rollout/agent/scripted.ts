import type { Action } from "../door/door.ts";
import type { Agent, AgentSeat, Player, Turn, View } from "./agent.ts";
import { callTurn, lastTurn } from "./agent.ts";

/** What a script does at a turn: calls, a turn as a model would make it, some text, or nothing more. */
export type ScriptedTurn = Action | readonly Action[] | Turn | string | undefined;

/** Plays from a script: a list of turns, or a function that is asked at each turn. Every row begins it anew. */
export function scriptedAgent(
  script: readonly ScriptedTurn[] | ((view: View, seat: AgentSeat) => ScriptedTurn | Promise<ScriptedTurn>),
  options: { name?: string; model?: string } = {},
): Agent {
  const { name = "scripted", model = "unknown" } = options;
  return {
    name,
    model,
    begin: (seat): Player => {
      let next = 0;
      if (typeof script !== "function") return { turn: ({ step }) => readTurn(script[next++], step) };
      return {
        turn: (view) => {
          const chosen = script(view, seat);
          return chosen instanceof Promise
            ? chosen.then((late) => readTurn(late, view.step))
            : readTurn(chosen, view.step);
        },
      };
    },
  };
}

function readTurn(turn: ScriptedTurn, step: number): Turn {
  if (turn === undefined) return lastTurn();
  if (typeof turn === "string") return lastTurn(turn);
  if ("message" in turn) return turn;
  return callTurn(Array.isArray(turn) ? turn : [turn as Action], step);
}
