import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { createRandom } from "../../packages/core/src/environment/random/random.ts";
import type { Random } from "../../packages/core/src/environment/random/random.ts";
import { fly, readState, startFlight } from "../../packages/gallery/src/lunar-lander/lander.ts";
import type { Flight } from "../../packages/gallery/src/lunar-lander/lander.ts";
import { lunarLander } from "../../packages/gallery/src/lunar-lander/lunar-lander.ts";
import { groundOf } from "../../packages/gallery/src/lunar-lander/terrain.ts";
import { train } from "./trainer.ts";

/** Episodes played with gymnasium 1.4.0 and Box2D 2.3.10. The field `about` says how they are written. */
const { episodes } = JSON.parse(
  gunzipSync(readFileSync(new URL("data/lunar-lander.json.gz", import.meta.url))).toString(),
) as { episodes: readonly Golden[] };

interface Golden {
  readonly config: Readonly<Record<string, unknown>>;
  /** Null continues the random numbers of the episode before. */
  readonly seed: number | null;
  readonly policy: string;
  readonly initial: string;
  readonly actions: readonly (number | string)[];
  readonly observations: readonly string[];
  readonly rewards: readonly string[];
  readonly terrain?: readonly string[];
  readonly bodies?: readonly string[];
  readonly terminated: boolean;
  readonly truncated: boolean;
  readonly end: string;
}

const names = ["NOTHING", "FIRE_LEFT", "FIRE_MAIN", "FIRE_RIGHT"];

test.each(episodes.filter(({ seed }) => seed !== null))(
  "seed $seed, $policy, $config: every observation and reward has gymnasium's bits, until it is $end",
  async (golden) => {
    await using environment = lunarLander();
    const episode = await environment.start({ seed: golden.seed, config: golden.config });
    expect(bitsOf(episode.firstObservation)).toBe(golden.initial);
    for (const [index, action] of golden.actions.entries()) {
      const input = typeof action === "number" ? names[action] : floatsOf(action);
      const observation = await environment.call(episode, "lander_action", { action: input });
      expect({ index, bits: bitsOf(observation) }).toEqual({ index, bits: golden.observations[index] });
      expect({ index, reward: hex64(episode.last.reward ?? NaN) }).toEqual({ index, reward: golden.rewards[index] });
    }
    const { terminated, truncated, stepCount } = episode;
    expect({ terminated, truncated }).toEqual({ terminated: golden.terminated, truncated: golden.truncated });
    expect(stepCount).toBe(golden.actions.length);
  },
);

test("a reset without a seed goes on with the same random numbers", () => {
  let random: Random | undefined;
  let count = 0;
  for (const golden of episodes) {
    if (golden.seed !== null) random = createRandom(golden.seed);
    if (!random) throw new Error("The first episode has a seed.");
    const flight = startFlight({ gravity: Number(golden.config["gravity"] ?? -10), wind: windOf(golden) }, random);
    if (golden.seed === null) {
      count++;
      expect(readState(flight).map(hex32).join("")).toBe(golden.initial);
    }
    for (const [index, action] of golden.actions.entries()) {
      fly(flight, thrustOf(action), random);
      if (golden.seed !== null) continue;
      expect(readState(flight).map(hex32).join("")).toBe(golden.observations[index]);
      expect(hex64(flight.reward)).toBe(golden.rewards[index]);
    }
  }
  expect(count).toBe(4);
});

test.each(episodes.filter(({ bodies }) => bodies))("seed $seed: ground and bodies have Box2D's bits", (golden) => {
  const random = createRandom(golden.seed ?? 0);
  const flight = startFlight({ gravity: -10, wind: windOf(golden) }, random);
  const ground = groundOf(flight.terrain).flatMap(({ from, to }) => [from, to]);
  expect(ground.map(({ x, y }) => hex32(x) + hex32(y))).toEqual(golden.terrain);
  expect(bodiesOf(flight)).toBe(golden.bodies?.[0]);
  for (const [index, action] of golden.actions.entries()) {
    fly(flight, thrustOf(action), random);
    expect({ index, bodies: bodiesOf(flight) }).toEqual({ index, bodies: golden.bodies?.[index + 1] });
  }
});

test("a saved flight goes on with the same bits", async () => {
  await using environment = lunarLander();
  const episode = await environment.start({ seed: 3, config: { enable_wind: true } });
  const play = async (at: typeof episode) => {
    const seen: string[] = [];
    while (!at.isOver) {
      const action = names[(at.stepCount * 7) % 4];
      seen.push(bitsOf(await environment.call(at, "lander_action", { action })));
    }
    return seen;
  };
  for (let step = 0; step < 40; step++) await environment.call(episode, "lander_action", { action: "NOTHING" });
  const saved = JSON.parse(JSON.stringify(await environment.episodes.snapshot(episode))) as Parameters<
    typeof environment.episodes.restore
  >[0];
  const restored = await environment.episodes.restore(saved);
  expect(await play(restored)).toEqual(await play(episode));
});

test.each([
  [{ gravity: 0 }, /gravity/],
  [{ gravity: -12 }, /gravity/],
  [{ gym_id: "LunarLander-v2" }, /gym_id/],
])("a config of %j is refused", async (config, message) => {
  await using environment = lunarLander();
  await expect(environment.start({ config })).rejects.toThrow(message);
});

test.each([
  [{}, { action: "fire_main" }, /action/],
  [{}, { action: [1, 0] }, /not continuous/],
  [{ continuous: true }, { action: "FIRE_MAIN" }, /is continuous: send two numbers/],
  [{ continuous: true }, { action: [1] }, /action/],
  [{ gym_id: "LunarLanderContinuous-v3" }, { action: "NOTHING" }, /is continuous/],
])("with %j, %j is refused and is no step", async (config, input, message) => {
  await using environment = lunarLander();
  const episode = await environment.start({ seed: 1, config });
  await expect(environment.call(episode, "lander_action", input)).rejects.toThrow(message);
  expect(episode.stepCount).toBe(0);
});

test("people see the craft over the ground as text", async () => {
  await using environment = lunarLander();
  const episode = await environment.start({ seed: 7 });
  const picture = () => environment.rules.options.render?.(episode.state, episode.context);
  expect(await picture()).toMatch(/^.*O.*\n[\s\S]*F {6,}.*F[\s\S]*#{60}\nHeight \d+\.\d, speed \d+\.\d\n$/);
  while (!episode.isOver) await environment.call(episode, "lander_action", { action: "NOTHING" });
  expect(await picture()).toContain("Crashed.");
});

test("a trainer flies over a socket", async () => {
  await using trainer = await train(lunarLander());
  const { observation } = await trainer.reset({ seed: 1014 });
  const golden = episodes.find(({ seed }) => seed === 1014);
  expect(bitsOf(observation)).toBe(golden?.initial);
  const step = { tool_name: "lander_action", arguments: { action: names[Number(golden?.actions[0])] } };
  const { reward } = await trainer.step(step);
  expect(hex64(Number(reward))).toBe(golden?.rewards[0]);
});

/** The eight numbers of gymnasium's observation, in hex. */
function bitsOf(observation: unknown): string {
  const { position, velocity, orientation, legs } = observation as {
    position: { x: number; y: number };
    velocity: { x: number; y: number };
    orientation: { angle: number; angular_velocity: number };
    legs: { left_contact: boolean; right_contact: boolean };
  };
  const { angle, angular_velocity: spin } = orientation;
  const numbers = [position.x, position.y, velocity.x, velocity.y, angle, spin];
  return [...numbers, Number(legs.left_contact), Number(legs.right_contact)].map(hex32).join("");
}

function windOf({ config }: Golden) {
  if (config["enable_wind"] !== true) return undefined;
  return { power: Number(config["wind_power"] ?? 15), turbulence: Number(config["turbulence_power"] ?? 1.5) };
}

function thrustOf(action: number | string) {
  if (typeof action === "number") return { main: Number(action === 2), side: action % 2 === 1 ? action - 2 : 0 };
  const [main = 0, side = 0] = floatsOf(action).map((each) => Math.max(-1, Math.min(each, 1)));
  return { main: main > 0 ? (main + 1) * 0.5 : 0, side: Math.abs(side) > 0.5 ? side : 0 };
}

function bodiesOf({ world }: Flight): string {
  const numbers = world.bodies.flatMap(({ transform, angle, vx, vy, spin }) => [
    transform.x,
    transform.y,
    angle,
    vx,
    vy,
    spin,
  ]);
  return numbers.map(hex32).join("");
}

function floatsOf(hex: string): number[] {
  const bytes = Buffer.from(hex, "hex");
  return [bytes.readFloatBE(0), bytes.readFloatBE(4)];
}

function hex32(number: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatBE(number);
  return bytes.toString("hex");
}

function hex64(number: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(number);
  return bytes.toString("hex");
}
