import type { Velocity } from "./body.ts";
import type { Block, ConstraintPoint, ContactConstraint } from "./contact-constraint.ts";
import { clamp, max } from "./vector.ts";

const f = Math.fround;

/** One velocity iteration of a contact: friction first, then the normal impulses of its points together. */
export function solveContactVelocity(constraint: ContactConstraint): void {
  for (const point of constraint.points) solveFriction(constraint, point);
  const [first, second] = constraint.points;
  if (first && second && constraint.block) solveBoth(constraint, constraint.block, [first, second]);
  else if (first) solveOne(constraint, first);
}

function solveFriction(constraint: ContactConstraint, point: ConstraintPoint): void {
  const { velocity, friction, nx, ny } = constraint;
  const { impulses, tangentMass } = point;
  const speed = speedAlong(velocity, point, { x: ny, y: -nx });
  const most = f(friction * impulses[0]);
  const impulse = clamp(f(impulses[1] + f(tangentMass * -speed)), -most, most);
  const change = f(impulse - impulses[1]);
  impulses[1] = impulse;
  push(constraint, point, { x: f(change * ny), y: f(change * -nx) });
}

function solveOne(constraint: ContactConstraint, point: ConstraintPoint): void {
  const { velocity, nx, ny } = constraint;
  const { impulses, normalMass } = point;
  const speed = speedAlong(velocity, point, { x: nx, y: ny });
  const impulse = max(f(impulses[0] + f(-normalMass * speed)), 0);
  const change = f(impulse - impulses[0]);
  impulses[0] = impulse;
  push(constraint, point, { x: f(change * nx), y: f(change * ny) });
}

function push({ velocity, mass }: ContactConstraint, { rx, ry }: ConstraintPoint, { x, y }: Direction): void {
  velocity[0] += f(mass.inverse * x);
  velocity[1] += f(mass.inverse * y);
  velocity[2] += f(mass.inverseInertia * f(f(rx * y) - f(ry * x)));
}

/** Solves the linear complementarity problem of two points by trying its four cases. */
function solveBoth(
  { velocity, mass, nx, ny }: ContactConstraint,
  block: Block,
  [first, second]: readonly [ConstraintPoint, ConstraintPoint],
): void {
  const [a1, a2] = [first.impulses[0], second.impulses[0]];
  const v1 = speedAlong(velocity, first, { x: nx, y: ny });
  const v2 = speedAlong(velocity, second, { x: nx, y: ny });
  const b1 = f(v1 - f(f(block.k11 * a1) + f(block.k12 * a2)));
  const b2 = f(v2 - f(f(block.k12 * a1) + f(block.k22 * a2)));
  const impulses = bothPush(block, b1, b2) ?? onePushes(block, [first, b1], [second, b2]);
  if (!impulses) return;
  [first.impulses[0], second.impulses[0]] = impulses;
  const [d1, d2] = [f(impulses[0] - a1), f(impulses[1] - a2)];
  const [x1, y1] = [f(d1 * nx), f(d1 * ny)];
  const [x2, y2] = [f(d2 * nx), f(d2 * ny)];
  velocity[0] += f(mass.inverse * f(x1 + x2));
  velocity[1] += f(mass.inverse * f(y1 + y2));
  const turn = f(f(f(first.rx * y1) - f(first.ry * x1)) + f(f(second.rx * y2) - f(second.ry * x2)));
  velocity[2] += f(mass.inverseInertia * turn);
}

interface Direction {
  readonly x: number;
  readonly y: number;
}

/** How fast the point of the body moves in a direction. */
function speedAlong(velocity: Velocity, { rx, ry }: ConstraintPoint, { x, y }: Direction): number {
  const vx = f(velocity[0] + f(-velocity[2] * ry));
  const vy = f(velocity[1] + f(velocity[2] * rx));
  return f(f(vx * x) + f(vy * y));
}

type Impulses = readonly [number, number];

function bothPush({ inverse11, inverse12, inverse22 }: Block, b1: number, b2: number): Impulses | undefined {
  const x = -f(f(inverse11 * b1) + f(inverse12 * b2));
  const y = -f(f(inverse12 * b1) + f(inverse22 * b2));
  return x >= 0 && y >= 0 ? [x, y] : undefined;
}

type Side = readonly [ConstraintPoint, number];

function onePushes({ k12 }: Block, [first, b1]: Side, [second, b2]: Side): Impulses | undefined {
  const x = f(-first.normalMass * b1);
  if (x >= 0 && f(f(k12 * x) + b2) >= 0) return [x, 0];
  const y = f(-second.normalMass * b2);
  if (y >= 0 && f(f(k12 * y) + b1) >= 0) return [0, y];
  return b1 >= 0 && b2 >= 0 ? [0, 0] : undefined;
}
