import { BiplaneError, environment } from "@biplane/core";
import { builtInApp } from "@biplane/core/apps/builtin";
import { fly, readState, startFlight } from "./lander.ts";
import type { Flight, FlightOptions, Thrust } from "./lander.ts";
import { flightPicture } from "./flight-picture.ts";
import { outlineOf } from "./terrain.ts";

/**
 * Land between the flags. Gymnasium's LunarLander-v3 and LunarLanderContinuous-v3, bit for bit: same seed, same terrain,
 * same flight, in float32.
 */
export function lunarLander() {
  return environment({
    name: "lunar-lander",
    version: "1.0.0",
    description: "Land a craft softly on the pad in the middle, with a main engine and two side engines.",
    config: {
      type: "object",
      properties: {
        gym_id: {
          enum: ["LunarLander-v3", "LunarLanderContinuous-v3"],
          description: "Play what gymnasium.make gives for this id",
        },
        continuous: { type: "boolean", description: "Actions are two numbers, main and side engine (default: false)" },
        gravity: { type: "number", exclusiveMinimum: -12, exclusiveMaximum: 0, description: "Default: -10" },
        enable_wind: { type: "boolean", description: "Wind pushes and turns the craft in flight (default: false)" },
        wind_power: { type: "number", description: "Strongest force of the wind, usually 0 to 20 (default: 15)" },
        turbulence_power: { type: "number", description: "Strongest torque, usually 0 to 2 (default: 1.5)" },
        max_steps: { type: "integer", minimum: 1, description: "Default: 1000" },
      },
    },
    start: ({ config, random }): Flight => startFlight(readConfig(config), random),
    observe,
    tools: (tool) => ({
      lander_action: tool({
        description:
          "Fire an engine for one step: NOTHING, FIRE_LEFT, FIRE_MAIN or FIRE_RIGHT. If the episode is continuous: two numbers from -1 to 1, the main engine (above 0 it fires with 50 to 100 % of its power) and the side engines (below -0.5 the left one, above 0.5 the right one).",
        input: {
          type: "object",
          properties: {
            action: {
              anyOf: [{ enum: actions }, { type: "array", items: { type: "number" }, minItems: 2, maxItems: 2 }],
            },
          },
          required: ["action"],
        },
        ui: builtInApp("lunar-lander"),
        run: ({ action }, { state: flight, config, random }) => {
          fly(flight, readAction(action, isContinuous(config)), random);
          return { ...observe(flight), action };
        },
      }),
    }),
    rewardRange: [-1000, 1000],
    reward: ({ after }) => after.reward,
    status: ({ hasLanded, hasFailed }, { stepCount, config }) => ({
      terminated: hasLanded || hasFailed,
      truncated: stepCount >= ((config as LanderConfig).max_steps ?? 1000),
    }),
    info: () => ({}),
    render: flightPicture,
  });
}

interface LanderConfig {
  readonly gym_id?: "LunarLander-v3" | "LunarLanderContinuous-v3";
  readonly continuous?: boolean;
  readonly gravity?: number;
  readonly enable_wind?: boolean;
  readonly wind_power?: number;
  readonly turbulence_power?: number;
  readonly max_steps?: number;
}

function readConfig(config: LanderConfig): FlightOptions {
  const {
    gravity = -10,
    enable_wind: isWindy = false,
    wind_power: power = 15,
    turbulence_power: turbulence = 1.5,
  } = config;
  return { gravity, wind: isWindy ? { power, turbulence } : undefined };
}

function isContinuous({ continuous, gym_id: id }: LanderConfig): boolean {
  return continuous ?? id === "LunarLanderContinuous-v3";
}

const actions = ["NOTHING", "FIRE_LEFT", "FIRE_MAIN", "FIRE_RIGHT"] as const;

function readAction(action: unknown, hasTwoNumbers: boolean): Thrust {
  if (Array.isArray(action) !== hasTwoNumbers) {
    const expected = hasTwoNumbers
      ? "This episode is continuous: send two numbers, such as [0.5, -1]"
      : `This episode is not continuous: send one of ${actions.join(", ")}`;
    throw new BiplaneError("INVALID_INPUT", `${expected}, not ${JSON.stringify(action)}.`);
  }
  if (!Array.isArray(action)) {
    const index = actions.findIndex((each) => each === action);
    return { main: index === 2 ? 1 : 0, side: index === 1 || index === 3 ? index - 2 : 0 };
  }
  const [main = 0, side = 0] = action.map((each) => Math.max(-1, Math.min(Math.fround(Number(each)), 1)));
  return { main: main > 0 ? (main + 1) * 0.5 : 0, side: Math.abs(side) > 0.5 ? side : 0 };
}

/** The fields of Eval Protocol, and the terrain in the same units, where that has an image. */
function observe(flight: Flight) {
  const [x, y, vx, vy, angle, spin, left, right] = readState(flight);
  return {
    position: { x: Math.fround(x), y: Math.fround(y) },
    velocity: { x: Math.fround(vx), y: Math.fround(vy) },
    orientation: { angle: Math.fround(angle), angular_velocity: Math.fround(spin) },
    legs: { left_contact: left === 1, right_contact: right === 1 },
    terrain: outlineOf(flight.terrain),
  };
}
