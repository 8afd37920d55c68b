import type { Action, Agent, RolloutContext, EpisodePlayer, Turn, AgentView } from "./agent.ts";
import { callTurn, lastTurn } from "./agent.ts";

/** A turn of a script: one or more actions, a complete turn, a message, or undefined to end. */
export type ScriptedTurn = Action | readonly Action[] | Turn | string | undefined;

/** Plays a list of turns, or calls a function for each turn. Every rollout starts from the beginning. */
export function scriptedAgent(
  script:
    | readonly ScriptedTurn[]
    | ((view: AgentView, context: RolloutContext) => ScriptedTurn | Promise<ScriptedTurn>),
  options: { name?: string; model?: string } = {},
): Agent {
  const { name = "scripted", model = "unknown" } = options;
  return {
    name,
    model,
    begin: (context): EpisodePlayer => {
      let next = 0;
      if (typeof script !== "function") return { turn: ({ step }) => readTurn(script[next++], step) };
      return {
        turn: (view) => {
          const chosen = script(view, context);
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
  return callTurn((Array.isArray(turn) ? turn : [turn]).map(readAction), step);
}

/** Accepts `name` from scripts that were written before it was renamed to `tool`. */
function readAction(action: Action & { readonly name?: string }): Action {
  return { tool: action.tool ?? action.name, input: action.input };
}
