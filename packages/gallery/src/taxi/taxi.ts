import { environment } from "@biplane/core";
import type { Rain } from "./drive.ts";
import { describe, draw } from "./picture.ts";
import { makeMove, drawRide, isLegalMove, isDelivered, moves } from "./ride.ts";
import type { Ride } from "./ride.ts";

/** Pick up a passenger and drive them to their destination. Gymnasium's Taxi-v4, or v3: same seed, same ride. */
export function taxi() {
  return environment({
    name: "taxi",
    version: "1.0.0",
    description: "Pick up a passenger with a taxi and drop them off at their destination.",
    config: {
      type: "object",
      properties: {
        gym_id: {
          enum: ["Taxi-v4", "Taxi-v3"],
          description: "Whose rain it is: Taxi-v4 (default), or Taxi-v3 of gymnasium 1.2",
        },
        is_rainy: { type: "boolean", description: "A drive may slide to the side" },
        rainy_probability: {
          ...probability,
          description: "Taxi-v4: how probably a drive in the rain goes as intended (default: 0.8)",
        },
        fickle_passenger: { type: "boolean", description: "The passenger may change the destination once on the way" },
        fickle_probability: { ...probability, description: "How probably the passenger is fickle (default: 0.3)" },
        max_steps: { type: "integer", minimum: 1 },
      },
    },
    start: ({ config, random }) =>
      drawRide(random, config["fickle_passenger"] === true ? Number(config["fickle_probability"] ?? 0.3) : undefined),
    observe: describe,
    tools: (tool) => ({
      taxi_move: tool({
        description: "Drive one step, pick the passenger up, or drop them off",
        input: { type: "object", properties: { action: { enum: moves } }, required: ["action"] },
        run: ({ action }, { state: ride, random, config }) => {
          makeMove(ride, action, { random, rain: rainOf(config) });
          return { ...describe(ride), action };
        },
      }),
    }),
    rewardRange: [-10, 20],
    reward: ({ before, after }) => {
      if (isDelivered(after)) return 20;
      return isRefused(before, after) ? -10 : -1;
    },
    status: (ride, { stepCount, config }) => ({
      terminated: isDelivered(ride),
      truncated: stepCount >= Number(config["max_steps"] ?? 200),
    }),
    info: (ride) => ({ prob: ride.chance, action_mask: moves.map((move) => Number(isLegalMove(ride, move))) }),
    render: draw,
  });
}

const probability = { type: "number", minimum: 0, maximum: 1 } as const;

function rainOf(config: Readonly<Record<string, unknown>>): Rain | undefined {
  if (config["is_rainy"] !== true) return undefined;
  if (config["gym_id"] === "Taxi-v3") return { version: 3 };
  return { version: 4, probability: Number(config["rainy_probability"] ?? 0.8) };
}

/** Whether the last pickup or drop-off was illegal. */
function isRefused(before: Ride, { lastMove, passenger }: Ride): boolean {
  return (lastMove === "PICKUP" || lastMove === "DROPOFF") && passenger === before.passenger;
}
