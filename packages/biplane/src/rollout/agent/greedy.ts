import { BiplaneError } from "@biplane/core";
import type { ToolDefinition } from "../message.ts";
import type { Action, Agent, RolloutContext, AgentView } from "./agent.ts";
import { callTurn, lastTurn } from "./agent.ts";
import { randomOf } from "./random.ts";
import { allInputs } from "./random-input.ts";

/** Estimates the value of an action. The action with the highest value is chosen. */
export type ActionValue = (action: Action, view: AgentView, context: RolloutContext) => number | Promise<number>;

/**
 * Chooses the action with the highest value, at random among equals. By default it tries every action on a fork of the
 * episode, which needs an environment in this process or a Biplane server.
 */
export function greedyAgent(options: { value?: ActionValue } = {}): Agent {
  const { value: valueOf = oneStepAhead } = options;
  return {
    name: "greedy",
    model: "greedy",
    begin: (context) => {
      const actions = context.tools.flatMap(actionsOf);
      const random = randomOf(context);
      return {
        turn: async (view) => {
          const valued: { action: Action; value: number }[] = [];
          for (const action of actions) valued.push({ action, value: await valueOf(action, view, context) });
          const best = Math.max(...valued.map(({ value }) => value));
          const equals = valued.filter(({ value }) => value === best);
          return equals.length === 0 ? lastTurn() : callTurn([random.choice(equals).action], view.step);
        },
      };
    },
  };
}

function actionsOf({ function: { name, parameters } }: ToolDefinition): Action[] {
  const inputs = allInputs(parameters);
  if (inputs) return inputs.map((input) => ({ tool: name, input: input as Record<string, unknown> }));
  throw new BiplaneError("NOT_SUPPORTED", `${name} has too many possible inputs for the greedy agent.`);
}

/** The reward of the action. Ending the episode without a reward counts as -1. */
async function oneStepAhead(action: Action, _: AgentView, { lookAhead }: RolloutContext): Promise<number> {
  const { reward, terminated } = await lookAhead(action).catch((error: unknown) => {
    if (!(error instanceof BiplaneError) || error.code !== "NOT_SUPPORTED") throw error;
    throw new BiplaneError(error.code, `${error.message} Pass a \`value\` function to greedyAgent.`, { cause: error });
  });
  return (reward ?? 0) - (terminated && (reward ?? 0) <= 0 ? 1 : 0);
}
