import type { Random } from "@biplane/core/internal";
import { applyForce, applyImpulse, applyTorque } from "./physics/body.ts";
import type { Body } from "./physics/body.ts";
import { stepWorld } from "./physics/world.ts";
import type { RigidWorld } from "./physics/world.ts";
import { buildWorld, hull, shapes } from "./build-world.ts";
import { groundOf, height, relativeHeight, smoothHeights, width } from "./terrain.ts";

/** A flight: plain data. */
export interface Flight {
  readonly terrain: readonly number[];
  readonly world: RigidWorld;
  readonly wind: Wind | undefined;
  shaping: number;
  reward: number;
  hasLanded: boolean;
  hasFailed: boolean;
}

interface Wind {
  readonly power: number;
  readonly turbulence: number;
  forceIndex: number;
  torqueIndex: number;
}

export interface FlightOptions {
  readonly gravity: number;
  readonly wind: { readonly power: number; readonly turbulence: number } | undefined;
}

/** How strongly the engines fire: the main one 0 to 1, the side ones -1 (left) to 1 (right). */
export interface Thrust {
  readonly main: number;
  readonly side: number;
}

/** As gymnasium's reset, which makes a step with the engines off. */
export function startFlight({ gravity, wind }: FlightOptions, random: Random): Flight {
  const heights = Array.from({ length: 12 }, () => random.uniform(0, height / 2));
  const world = buildWorld(gravity);
  const flight: Flight = {
    terrain: smoothHeights(heights),
    world,
    wind: undefined,
    shaping: 0,
    reward: 0,
    hasLanded: false,
    hasFailed: false,
  };
  applyForce(landerOf(flight), random.uniform(-1000, 1000), random.uniform(-1000, 1000));
  const started = wind
    ? { ...flight, wind: { ...wind, forceIndex: windIndex(random), torqueIndex: windIndex(random) } }
    : flight;
  fly(started, { main: 0, side: 0 }, random);
  return started;
}

function windIndex(random: Random): number {
  return random.integers(-9999, 9999);
}

/** One step of the environment, in float64 around the engine's float32. */
export function fly(flight: Flight, thrust: Thrust, random: Random): void {
  const lander = landerOf(flight);
  blow(flight);
  const tip = { x: Math.sin(lander.angle), y: Math.cos(lander.angle) };
  const spread = [random.uniform(-1, 1) / 30, random.uniform(-1, 1) / 30] as const;
  if (thrust.main > 0) fireMain(lander, { tip, spread, power: thrust.main });
  if (thrust.side !== 0) fireSide(lander, { tip, spread, side: thrust.side });
  stepWorld(flight.world, { ground: groundOf(flight.terrain), shapes });
  judge(flight, thrust);
}

/** What gymnasium observes, before it is rounded to float32. */
export function readState(flight: Flight): Observed {
  const [lander, left, right] = flight.world.bodies;
  if (!lander) throw new Error("A flight has a lander.");
  const { transform, vx, vy, angle, spin } = lander;
  return [
    (transform.x - width / 2) / (width / 2),
    relativeHeight(transform.y),
    (vx * (width / 2)) / 50,
    (vy * (height / 2)) / 50,
    angle,
    (20 * spin) / 50,
    left?.touchesGround ? 1 : 0,
    right?.touchesGround ? 1 : 0,
  ];
}

export type Observed = readonly [
  x: number,
  y: number,
  vx: number,
  vy: number,
  angle: number,
  spin: number,
  left: number,
  right: number,
];

function landerOf({ world }: Flight): Body {
  const [lander] = world.bodies;
  if (!lander) throw new Error("A flight has a lander.");
  return lander;
}

/** Wind and turbulence, until a leg touches the ground. */
function blow({ world: { bodies }, wind }: Flight): void {
  const [lander, left, right] = bodies;
  if (!wind || !lander || left?.touchesGround || right?.touchesGround) return;
  applyForce(lander, gust(wind.forceIndex++) * wind.power, 0);
  applyTorque(lander, gust(wind.torqueIndex++) * wind.turbulence);
}

function gust(index: number): number {
  return Math.tanh(Math.sin(0.02 * index) + Math.sin(Math.PI * 0.01 * index));
}

interface Firing {
  /** The direction of the lander's nose. */
  readonly tip: { readonly x: number; readonly y: number };
  readonly spread: readonly [number, number];
}

function fireMain(lander: Body, { tip, spread, power }: Firing & { power: number }): void {
  const along = 4 / 30 + 2 * spread[0];
  const x = tip.x * along + -tip.y * spread[1];
  const y = -tip.y * along - tip.x * spread[1];
  applyImpulse(lander, hull, {
    impulse: { x: -x * 13 * power, y: -y * 13 * power },
    point: { x: lander.transform.x + x, y: lander.transform.y + y },
  });
}

function fireSide(lander: Body, { tip, spread, side }: Firing & { side: number }): void {
  const power = Math.abs(side);
  const away = 3 * spread[1] + (Math.sign(side) * 12) / 30;
  const x = tip.x * spread[0] + -tip.y * away;
  const y = -tip.y * spread[0] - tip.x * away;
  applyImpulse(lander, hull, {
    impulse: { x: -x * 0.6 * power, y: -y * 0.6 * power },
    point: { x: lander.transform.x + x - (tip.x * 17) / 30, y: lander.transform.y + y + (tip.y * 14) / 30 },
  });
}

function judge(flight: Flight, thrust: Thrust): void {
  const [x, y, vx, vy, angle, , left, right] = readState(flight);
  const lander = landerOf(flight);
  const shaping =
    -100 * Math.sqrt(x * x + y * y) -
    100 * Math.sqrt(vx * vx + vy * vy) -
    100 * Math.abs(angle) +
    10 * left +
    10 * right;
  flight.reward = shaping - flight.shaping - thrust.main * 0.3 - Math.abs(thrust.side) * 0.03;
  flight.shaping = shaping;
  flight.hasFailed = lander.hasTouchedGround || Math.abs(x) >= 1;
  flight.hasLanded = !lander.awake;
  if (flight.hasFailed) flight.reward = -100;
  if (flight.hasLanded) flight.reward = 100;
}
