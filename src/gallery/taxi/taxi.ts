import { environment } from "../../environment/environment.ts";
import type { Environment } from "../../environment/environment.ts";
import { describe, draw } from "./picture.ts";
import { act, drawRide, isAllowed, isDelivered, moves } from "./ride.ts";
import type { Move, Ride } from "./ride.ts";

/** Drive to a passenger, and the passenger to where they want to go. Gymnasium's Taxi-v3: same seed, same ride. */
export function taxi(): Environment {
  return environment({
    name: "taxi",
    version: "1.0.0",
    description: "Fetch a passenger with a taxi and drop them off at their destination.",
    config: {
      type: "object",
      properties: {
        is_rainy: { type: "boolean", description: "One drive in five slides to the side" },
        fickle_passenger: {
          type: "boolean",
          description: "Three passengers in ten change their destination once on the way",
        },
        max_steps: { type: "integer", minimum: 1 },
      },
    },
    start: ({ config, random }) => drawRide(random, config["fickle_passenger"] === true),
    observe: describe,
    tools: (tool) => ({
      taxi_move: tool({
        description: "Drive one step, pick the passenger up, or drop them off",
        input: { type: "object", properties: { action: { enum: moves } }, required: ["action"] },
        run: ({ action }, { state: ride, random, config }) => {
          act(ride, action as Move, { random, isRainy: config["is_rainy"] === true });
          return { ...describe(ride), action };
        },
      }),
    }),
    reward: ({ before, after }) => {
      if (isDelivered(after)) return 20;
      return isRefused(before, after) ? -10 : -1;
    },
    status: (ride, { stepCount, config }) => ({
      terminated: isDelivered(ride),
      truncated: stepCount >= Number(config["max_steps"] ?? 200),
    }),
    info: (ride) => ({ prob: ride.chance, action_mask: moves.map((move) => Number(isAllowed(ride, move))) }),
    render: draw,
  });
}

/** Whether a passenger was to be picked up or dropped off where that cannot be done. */
function isRefused(before: Ride, { lastMove, passenger }: Ride): boolean {
  return (lastMove === "PICKUP" || lastMove === "DROPOFF") && passenger === before.passenger;
}
