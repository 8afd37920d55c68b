import { angularSlop, linearSlop, maxAngularCorrection, timeStep } from "./constants.ts";
import type { Motion, Velocity } from "./body.ts";
import type { Mass } from "./polygon.ts";
import { cosine, sine } from "./trigonometry.ts";
import { clamp } from "./vector.ts";
import type { Vector } from "./vector.ts";

const f = Math.fround;

/** Holds a leg to the lander: a hinge with a motor and two limits. Plain data. */
export interface Joint {
  /** Where the hinge is on the leg. It is at the origin of the lander. */
  readonly anchor: Vector;
  readonly referenceAngle: number;
  readonly lower: number;
  readonly upper: number;
  readonly motorSpeed: number;
  readonly maxTorque: number;
  limit: "none" | "lower" | "upper";
  impulseX: number;
  impulseY: number;
  limitImpulse: number;
  motorImpulse: number;
}

/** The two bodies of a joint. Their velocities are in typed arrays, which need no allocation in 180 iterations. */
export interface Jointed {
  readonly a: Motion;
  readonly b: Motion;
  readonly velocityA: Velocity;
  readonly velocityB: Velocity;
  readonly massA: Mass;
  readonly massB: Mass;
}

/** Prepares a joint for the step and applies the impulses of the last one. */
export function startJoint(joint: Joint, bodies: Jointed, stepRatio: number): JointConstraint {
  const constraint = constrain(joint, bodies, stepRatio);
  warmStart(constraint);
  return constraint;
}

/** A joint in one step, with what stays the same over its iterations. */
export type JointConstraint = Readonly<ReturnType<typeof constrain>>;

function constrain(joint: Joint, bodies: Jointed, stepRatio: number) {
  const { a, b, massA, massB } = bodies;
  const { rAx, rAy, rBx, rBy } = armsOf(joint, bodies);
  const { inverse: mA, inverseInertia: iA } = massA;
  const { inverse: mB, inverseInertia: iB } = massB;
  // The columns of the symmetric mass matrix.
  const xx = f(f(f(mA + mB) + f(f(rAy * rAy) * iA)) + f(f(rBy * rBy) * iB));
  const xy = f(f(f(-rAy * rAx) * iA) - f(f(rBy * rBx) * iB));
  const xz = f(f(-rAy * iA) - f(rBy * iB));
  const yy = f(f(f(mA + mB) + f(f(rAx * rAx) * iA)) + f(f(rBx * rBx) * iB));
  const yz = f(f(rAx * iA) + f(rBx * iB));
  const zz = f(iA + iB);
  // The cross product of the last two columns, and the inverse determinants.
  const crossX = f(f(yy * zz) - f(yz * yz));
  const crossY = f(f(yz * xz) - f(xy * zz));
  const crossZ = f(f(xy * yz) - f(yy * xz));
  const det33 = f(f(f(xx * crossX) + f(xy * crossY)) + f(xz * crossZ));
  const det22 = f(f(xx * yy) - f(xy * xy));
  const [inverse33, inverse22] = [det33 === 0 ? 0 : f(1 / det33), det22 === 0 ? 0 : f(1 / det22)];
  const motorMass = f(1 / zz);
  setLimit(joint, f(f(b.angle - a.angle) - joint.referenceAngle));
  const { impulseX, impulseY, limitImpulse, motorImpulse } = joint;
  // Impulses so far: x, y, limit, motor.
  const impulses = Float32Array.of(impulseX, impulseY, limitImpulse, motorImpulse).map(
    (each) => each * stepRatio,
  ) as Float32Array & { 0: number; 1: number; 2: number; 3: number };
  const matrix = { xx, xy, xz, yy, yz, zz, crossX, crossY, crossZ, inverse33, inverse22 };
  return { joint, bodies, impulses, rAx, rAy, rBx, rBy, motorMass, ...matrix };
}

function warmStart({ bodies, impulses, rAx, rAy, rBx, rBy }: JointConstraint): void {
  const { velocityA, velocityB, massA, massB } = bodies;
  const [x, y, limit, motor] = [impulses[0], impulses[1], impulses[2], impulses[3]];
  velocityA[0] -= f(massA.inverse * x);
  velocityA[1] -= f(massA.inverse * y);
  velocityA[2] -= f(massA.inverseInertia * f(f(f(f(rAx * y) - f(rAy * x)) + motor) + limit));
  velocityB[0] += f(massB.inverse * x);
  velocityB[1] += f(massB.inverse * y);
  velocityB[2] += f(massB.inverseInertia * f(f(f(f(rBx * y) - f(rBy * x)) + motor) + limit));
}

/** Keeps the impulses for the next step. */
export function storeJoint({ joint, impulses }: JointConstraint): void {
  const [impulseX = 0, impulseY = 0, limitImpulse = 0, motorImpulse = 0] = impulses;
  Object.assign(joint, { impulseX, impulseY, limitImpulse, motorImpulse });
}

/** From the centres of mass to the hinge. */
function armsOf({ anchor }: Joint, { a, b, massA, massB }: Jointed) {
  const [sinA, cosA] = [sine(a.angle), cosine(a.angle)];
  const [sinB, cosB] = [sine(b.angle), cosine(b.angle)];
  const [ax, ay] = [f(0 - massA.center.x), f(0 - massA.center.y)];
  const [bx, by] = [f(anchor.x - massB.center.x), f(anchor.y - massB.center.y)];
  return {
    rAx: f(f(cosA * ax) - f(sinA * ay)),
    rAy: f(f(sinA * ax) + f(cosA * ay)),
    rBx: f(f(cosB * bx) - f(sinB * by)),
    rBy: f(f(sinB * bx) + f(cosB * by)),
  };
}

function setLimit(joint: Joint, angle: number): void {
  const limit = angle <= joint.lower ? "lower" : angle >= joint.upper ? "upper" : "none";
  if (limit === "none" || joint.limit !== limit) joint.limitImpulse = 0;
  joint.limit = limit;
}

/** One velocity iteration. It runs 360 times a step, so it makes no objects. */
export function solveJointVelocity(constraint: JointConstraint): void {
  turnMotor(constraint);
  const { joint, bodies, impulses, rAx, rAy, rBx, rBy, xx, xy, yy, inverse22 } = constraint;
  const { velocityA: a, velocityB: b } = bodies;
  let rx = -f(f(f(b[0] + f(-b[2] * rBy)) - a[0]) - f(-a[2] * rAy));
  let ry = -f(f(f(b[1] + f(b[2] * rBx)) - a[1]) - f(a[2] * rAx));
  // Adding -0 changes nothing, not even the sign of a zero.
  let released = -0;
  if (joint.limit !== "none") {
    const before = impulses[2];
    if (pushFromLimit(constraint, -rx, -ry)) return;
    // The limit would pull: it lets go, and only the point is held.
    const { xz, yz } = constraint;
    rx = f(rx + f(before * xz));
    ry = f(ry + f(before * yz));
    released = -before;
    impulses[2] = 0;
  }
  const x = f(inverse22 * f(f(yy * rx) - f(xy * ry)));
  const y = f(inverse22 * f(f(xx * ry) - f(xy * rx)));
  push(constraint, x, y, released);
}

function turnMotor({ joint, bodies, impulses, motorMass }: JointConstraint): void {
  const { velocityA, velocityB, massA, massB } = bodies;
  const wanted = f(-motorMass * f(f(velocityB[2] - velocityA[2]) - joint.motorSpeed));
  const before = impulses[3];
  const most = f(timeStep * joint.maxTorque);
  const after = clamp(f(before + wanted), -most, most);
  const impulse = f(after - before);
  impulses[3] = after;
  velocityA[2] -= f(massA.inverseInertia * impulse);
  velocityB[2] += f(massB.inverseInertia * impulse);
}

/** Solves for the point and the angle together. Returns false, and changes nothing, if the limit would have to pull. */
function pushFromLimit(constraint: JointConstraint, cx: number, cy: number): boolean {
  const { joint, bodies, impulses, xx, xy, xz, yy, yz, zz, crossX, crossY, crossZ, inverse33 } = constraint;
  const cz = f(bodies.velocityB[2] - bodies.velocityA[2]);
  const ofZ = f(f(xx * f(f(yy * cz) - f(yz * cy))) + f(xy * f(f(yz * cx) - f(xy * cz))));
  const z = -f(inverse33 * f(ofZ + f(xz * f(f(xy * cy) - f(yy * cx)))));
  const sum = f(impulses[2] + z);
  if (joint.limit === "lower" ? sum < 0 : sum > 0) return false;
  const x = -f(inverse33 * f(f(f(cx * crossX) + f(cy * crossY)) + f(cz * crossZ)));
  const ofY = f(f(xx * f(f(cy * zz) - f(cz * yz))) + f(xy * f(f(cz * xz) - f(cx * zz))));
  const y = -f(inverse33 * f(ofY + f(xz * f(f(cx * yz) - f(cy * xz)))));
  impulses[2] = sum;
  push(constraint, x, y, z);
  return true;
}

/** Adds an impulse at the hinge, and one that only turns. */
function push({ bodies, impulses, rAx, rAy, rBx, rBy }: JointConstraint, x: number, y: number, turn: number): void {
  const { velocityA, velocityB, massA, massB } = bodies;
  impulses[0] += x;
  impulses[1] += y;
  velocityA[0] -= f(massA.inverse * x);
  velocityA[1] -= f(massA.inverse * y);
  velocityA[2] -= f(massA.inverseInertia * f(f(f(rAx * y) - f(rAy * x)) + turn));
  velocityB[0] += f(massB.inverse * x);
  velocityB[1] += f(massB.inverse * y);
  velocityB[2] += f(massB.inverseInertia * f(f(f(rBx * y) - f(rBy * x)) + turn));
}

/** One position iteration. Returns whether the errors are small enough. */
export function solveJointPosition({ joint, bodies, motorMass }: JointConstraint): boolean {
  const { a, b, massA, massB } = bodies;
  const { inverse: mA, inverseInertia: iA } = massA;
  const { inverse: mB, inverseInertia: iB } = massB;
  const angularError = correctLimit(joint, bodies, motorMass);
  const { rAx, rAy, rBx, rBy } = armsOf(joint, bodies);
  const cx = f(f(f(b.x + rBx) - a.x) - rAx);
  const cy = f(f(f(b.y + rBy) - a.y) - rAy);
  const positionError = f(Math.sqrt(f(f(cx * cx) + f(cy * cy))));
  const xx = f(f(f(mA + mB) + f(f(iA * rAy) * rAy)) + f(f(iB * rBy) * rBy));
  const xy = f(f(f(-iA * rAx) * rAy) - f(f(iB * rBx) * rBy));
  const yy = f(f(f(mA + mB) + f(f(iA * rAx) * rAx)) + f(f(iB * rBx) * rBx));
  const det = f(f(xx * yy) - f(xy * xy));
  const inverse = det === 0 ? 0 : f(1 / det);
  const x = -f(inverse * f(f(yy * cx) - f(xy * cy)));
  const y = -f(inverse * f(f(xx * cy) - f(xy * cx)));
  a.x = f(a.x - f(mA * x));
  a.y = f(a.y - f(mA * y));
  a.angle = f(a.angle - f(iA * f(f(rAx * y) - f(rAy * x))));
  b.x = f(b.x + f(mB * x));
  b.y = f(b.y + f(mB * y));
  b.angle = f(b.angle + f(iB * f(f(rBx * y) - f(rBy * x))));
  return positionError <= linearSlop && angularError <= angularSlop;
}

/** Turns the bodies back to the limit. Returns how far they were beyond it. */
function correctLimit(joint: Joint, { a, b, massA, massB }: Jointed, motorMass: number): number {
  if (joint.limit === "none") return 0;
  const angle = f(f(b.angle - a.angle) - joint.referenceAngle);
  const isLower = joint.limit === "lower";
  const beyond = f(angle - (isLower ? joint.lower : joint.upper));
  const correction = isLower
    ? clamp(f(beyond + angularSlop), -maxAngularCorrection, 0)
    : clamp(f(beyond - angularSlop), 0, maxAngularCorrection);
  const impulse = f(-motorMass * correction);
  a.angle = f(a.angle - f(massA.inverseInertia * impulse));
  b.angle = f(b.angle + f(massB.inverseInertia * impulse));
  return isLower ? -beyond : beyond;
}
