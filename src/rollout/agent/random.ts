import { createRandom } from "../../environment/random/random.ts";
import type { Random } from "../../environment/random/random.ts";
import type { ToolDefinition } from "../message.ts";
import type { Action } from "../door/door.ts";
import type { Agent, AgentSeat } from "./agent.ts";
import { callTurn, lastTurn } from "./agent.ts";
import { randomInput } from "./random-input.ts";

/** Calls any tool with anything it allows. The same row with the same seed is played the same way. */
export function randomAgent(options: { seed?: number } = {}): Agent {
  return {
    name: "random",
    model: "random",
    begin: (seat) => {
      const random = randomOf(seat, options.seed);
      return {
        turn: ({ tools, step }) =>
          tools.length === 0 ? lastTurn() : callTurn([randomCall(random.choice(tools), random)], step),
      };
    },
  };
}

/** Randomness of its own for each row and repetition. */
export function randomOf({ seed, index, repetition }: AgentSeat, own = 0): Random {
  const base = BigInt(seed) & 0xffff_ffff_ffffn;
  return createRandom((((base << 16n) | BigInt(repetition & 0xffff)) << 32n) | BigInt((own ^ index) >>> 0));
}

function randomCall({ function: { name, parameters } }: ToolDefinition, random: Random): Action {
  return { name, input: randomInput(parameters, random) as Record<string, unknown> };
}
