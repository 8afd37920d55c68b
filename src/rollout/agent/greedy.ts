import { BiplaneError } from "../../errors.ts";
import type { Action } from "../door/door.ts";
import type { ToolDefinition } from "../message.ts";
import type { Agent, AgentSeat, View } from "./agent.ts";
import { callTurn, lastTurn } from "./agent.ts";
import { randomOf } from "./random.ts";
import { allInputs } from "./random-input.ts";

/** How good a call looks; the greatest is made. */
export type Worth = (action: Action, view: View, seat: AgentSeat) => number | Promise<number>;

/**
 * Always makes the call that looks best, one step ahead. Unless told how to judge, it tries every call on a fork of the
 * episode, which only an environment of this process has. Among equals it chooses by chance.
 */
export function greedyAgent(options: { worth?: Worth } = {}): Agent {
  const { worth = oneStepAhead } = options;
  return {
    name: "greedy",
    model: "greedy",
    begin: (seat) => {
      const actions = seat.tools.flatMap(actionsOf);
      const random = randomOf(seat);
      return {
        turn: async (view) => {
          const judged: { action: Action; value: number }[] = [];
          for (const action of actions) judged.push({ action, value: await worth(action, view, seat) });
          const best = Math.max(...judged.map(({ value }) => value));
          const equals = judged.filter(({ value }) => value === best);
          return equals.length === 0 ? lastTurn() : callTurn([random.choice(equals).action], view.step);
        },
      };
    },
  };
}

function actionsOf({ function: { name, parameters } }: ToolDefinition): Action[] {
  const inputs = allInputs(parameters);
  if (inputs) return inputs.map((input) => ({ name, input: input as Record<string, unknown> }));
  throw new BiplaneError("NOT_SUPPORTED", `${name} can be called in too many ways for an agent that tries them all`);
}

/** An end without a reward is worth less than going on. */
async function oneStepAhead(action: Action, _: View, { lookAhead }: AgentSeat): Promise<number> {
  if (!lookAhead)
    throw new BiplaneError("NOT_SUPPORTED", "this environment cannot be looked ahead in: give greedyAgent a `worth`");
  const { reward, terminated } = await lookAhead(action);
  return (reward ?? 0) - (terminated && (reward ?? 0) <= 0 ? 1 : 0);
}
