import { boxAround, extend } from "./boxes.ts";
import type { Body } from "./body.ts";
import { findContacts, moveBoxes, updateContacts } from "./contacts.ts";
import type { Contact, Scene } from "./contacts.ts";
import { timeStep } from "./constants.ts";
import type { Edge } from "./edge.ts";
import { solveImpacts } from "./impacts.ts";
import { solveIsland } from "./island.ts";
import type { Joint } from "./joint.ts";
import type { Polygon } from "./polygon.ts";
import { apply, place } from "./vector.ts";
import type { Vector } from "./vector.ts";

const f = Math.fround;

/**
 * A rigid-body world of hinged bodies over resting ground, as plain data: the part of Box2D 2.3 that gymnasium's Lunar
 * Lander runs, with the same float32 operations in the same order.
 */
export interface RigidWorld {
  readonly gravity: number;
  readonly bodies: Body[];
  /** Each joint holds the body with the next index to body 0. */
  readonly joints: Joint[];
  /** The newest first. */
  contacts: Contact[];
  /** The inverse of the last time step: 0 before the first. */
  lastRate: number;
}

interface BodyOptions {
  readonly shape: string;
  readonly polygon: Polygon;
  readonly position: Vector;
  readonly angle: number;
  readonly friction: number;
}

/** A body at rest. Its numbers are float64, and are rounded here. */
export function createBody({ shape, polygon, position, angle, friction }: BodyOptions): Body {
  const [at, turned] = [{ x: f(position.x), y: f(position.y) }, f(angle)];
  const transform = place(at, turned, { x: 0, y: 0 });
  const { x, y } = apply(transform, polygon.mass.center);
  return {
    shape,
    friction: f(friction),
    transform,
    x0: x,
    y0: y,
    angle0: turned,
    x,
    y,
    angle: turned,
    alpha: 0,
    vx: 0,
    vy: 0,
    spin: 0,
    awake: true,
    sleepTime: 0,
    forceX: 0,
    forceY: 0,
    torque: 0,
    box: extend(boxAround(polygon.vertices.map((vertex) => apply(transform, vertex)))),
    touchesGround: false,
    hasTouchedGround: false,
  };
}

/** One step of a fiftieth of a second. */
export function stepWorld(world: RigidWorld, fixed: { ground: readonly Edge[]; shapes: Scene["shapes"] }): void {
  const scene: Scene = { ...fixed, bodies: world.bodies };
  const isFirst = world.lastRate === 0;
  if (isFirst) findContacts(world.contacts, scene, new Set(world.bodies.keys()));
  const stepRatio = f(world.lastRate * timeStep);
  world.contacts = updateContacts(world.contacts, scene);
  const isAwake = world.bodies.some(({ awake }) => awake);
  solveIsland(world, scene, stepRatio);
  if (isAwake) findContacts(world.contacts, scene, moveBoxes(scene, world.bodies.keys()));
  solveImpacts(world.contacts, scene);
  world.lastRate = f(1 / timeStep);
  for (const body of world.bodies) body.forceX = body.forceY = body.torque = 0;
}
