import { createRandom } from "@biplane/core/internal";
import type { Random } from "@biplane/core/internal";
import type { ToolDefinition } from "../message.ts";
import type { Action, Agent, RolloutContext } from "./agent.ts";
import { callTurn, lastTurn } from "./agent.ts";
import { randomInput } from "./random-input.ts";

/** Calls random tools with random valid inputs. The same row and seed give the same calls. */
export function randomAgent(options: { seed?: number } = {}): Agent {
  return {
    name: "random",
    model: "random",
    begin: (context) => {
      const random = randomOf(context, options.seed);
      return {
        turn: ({ tools, step }) =>
          tools.length === 0 ? lastTurn() : callTurn([randomCall(random.choice(tools), random)], step),
      };
    },
  };
}

/** A separate random generator for each row and repetition. */
export function randomOf({ seed, index, repetition }: RolloutContext, own = 0): Random {
  const base = BigInt(seed) & 0xffff_ffff_ffffn;
  return createRandom((((base << 16n) | BigInt(repetition & 0xffff)) << 32n) | BigInt((own ^ index) >>> 0));
}

function randomCall({ function: { name, parameters } }: ToolDefinition, random: Random): Action {
  return { tool: name, input: randomInput(parameters, random) as Record<string, unknown> };
}
