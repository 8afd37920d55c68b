import type { Box } from "./boxes.ts";
import type { Polygon } from "./polygon.ts";
import { place } from "./vector.ts";
import type { Transform, Vector } from "./vector.ts";

const f = Math.fround;

/** A dynamic body: plain data, because it is part of an episode's state. Every number is a float32. */
export interface Body extends Motion {
  readonly shape: string;
  readonly friction: number;
  transform: Transform;
  awake: boolean;
  /** For how long it has been slow enough to sleep. */
  sleepTime: number;
  forceX: number;
  forceY: number;
  torque: number;
  /** The box in which it can move without looking for new contacts. */
  box: Box;
  /** False as soon as one contact with an edge of the ground ends, even if another goes on, as in gymnasium. */
  touchesGround: boolean;
  hasTouchedGround: boolean;
}

/** The centre of mass and the angle at the start and at the end of a step. */
export interface Sweep {
  x0: number;
  y0: number;
  angle0: number;
  x: number;
  y: number;
  angle: number;
}

/** What the solvers change. */
export interface Motion extends Sweep {
  vx: number;
  vy: number;
  spin: number;
  /** How far into the step its sweep begins, between 0 and 1. */
  alpha: number;
}

/** Velocity x, velocity y, spin: in float32, without allocation when it changes. */
export type Velocity = Float32Array & { 0: number; 1: number; 2: number };

export function velocityOf({ vx, vy, spin }: Motion): Velocity {
  return Float32Array.of(vx, vy, spin) as Velocity;
}

export function setVelocity(body: Motion, velocity: Velocity): void {
  body.vx = velocity[0];
  body.vy = velocity[1];
  body.spin = velocity[2];
}

/** The transform of a body's polygon after a part of its sweep. */
export function transformAt(sweep: Sweep, part: number, center: Vector): Transform {
  const left = f(1 - part);
  const x = f(f(left * sweep.x0) + f(part * sweep.x));
  const y = f(f(left * sweep.y0) + f(part * sweep.y));
  return place({ x, y }, f(f(left * sweep.angle0) + f(part * sweep.angle)), center);
}

/** Moves the beginning of the sweep to `alpha`. */
export function advanceSweep(body: Motion, alpha: number): void {
  const part = f(f(alpha - body.alpha) / f(1 - body.alpha));
  const left = f(1 - part);
  body.x0 = f(f(left * body.x0) + f(part * body.x));
  body.y0 = f(f(left * body.y0) + f(part * body.y));
  body.angle0 = f(f(left * body.angle0) + f(part * body.angle));
  body.alpha = alpha;
}

/** Sets the transform from the end of the sweep. */
export function synchronize(body: Body, { shapes }: { shapes: Readonly<Record<string, Polygon>> }): void {
  const shape = shapes[body.shape];
  if (shape) body.transform = place(body, body.angle, shape.mass.center);
}

export function wake(body: Body): void {
  if (body.awake) return;
  body.awake = true;
  body.sleepTime = 0;
}

export function putToSleep(body: Body): void {
  body.awake = false;
  body.sleepTime = 0;
  body.vx = body.vy = body.spin = 0;
  body.forceX = body.forceY = body.torque = 0;
}

/** Wakes the body. The arguments are float64, and enter the engine rounded. */
export function applyForce(body: Body, x: number, y: number): void {
  wake(body);
  body.forceX = f(body.forceX + f(x));
  body.forceY = f(body.forceY + f(y));
}

export function applyTorque(body: Body, torque: number): void {
  wake(body);
  body.torque = f(body.torque + f(torque));
}

interface Impulse {
  readonly impulse: Vector;
  readonly point: Vector;
}

export function applyImpulse(body: Body, { mass }: Polygon, { impulse, point }: Impulse): void {
  wake(body);
  const [px, py] = [f(impulse.x), f(impulse.y)];
  const [rx, ry] = [f(f(point.x) - body.x), f(f(point.y) - body.y)];
  body.vx = f(body.vx + f(mass.inverse * px));
  body.vy = f(body.vy + f(mass.inverse * py));
  body.spin = f(body.spin + f(mass.inverseInertia * f(f(rx * py) - f(ry * px))));
}
