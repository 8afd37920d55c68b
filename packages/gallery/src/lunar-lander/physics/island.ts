import { putToSleep, setVelocity, synchronize, velocityOf, wake } from "./body.ts";
import type { Body, Velocity } from "./body.ts";
import * as constants from "./constants.ts";
import { solveContactPosition, startContact, storeImpulses, warmStartContact } from "./contact-constraint.ts";
import type { ContactConstraint } from "./contact-constraint.ts";
import { solveContactVelocity } from "./contact-velocity.ts";
import { touchedBy } from "./contacts.ts";
import type { Contact, Scene } from "./contacts.ts";
import { integrate } from "./integrate.ts";
import { solveJointPosition, solveJointVelocity, startJoint, storeJoint } from "./joint.ts";
import type { Joint, JointConstraint } from "./joint.ts";
import type { RigidWorld } from "./world.ts";

const f = Math.fround;

/** The bodies, joints and contacts of a step, in the order in which they are solved. */
interface Island {
  readonly bodies: readonly number[];
  readonly joints: readonly number[];
  readonly contacts: readonly Contact[];
}

/** Moves all bodies by one time step. Joints hold them together, so they are one island, or all asleep. */
export function solveIsland(world: RigidWorld, scene: Scene, stepRatio: number): void {
  const island = findIsland(world);
  const bodies = island.bodies.flatMap((index) => world.bodies[index] ?? []);
  for (const body of bodies) accelerate(body, scene, world.gravity);
  const velocities = new Map(bodies.map((body) => [body, velocityOf(body)] as const));
  const contacts = island.contacts.flatMap((contact) => {
    const touched = touchedBy(contact, scene);
    const velocity = touched && velocities.get(touched.body);
    return velocity ? [startContact(contact, { ...touched, velocity }, stepRatio)] : [];
  });
  for (const contact of contacts) warmStartContact(contact);
  const joints = island.joints.flatMap((index) => prepareJoint(world, scene, { index, stepRatio, velocities }));
  for (let count = 0; count < constants.velocityIterations; count++) {
    for (const joint of joints) solveJointVelocity(joint);
    for (const contact of contacts) solveContactVelocity(contact);
  }
  for (const contact of contacts) storeImpulses(contact);
  for (const joint of joints) storeJoint(joint);
  for (const [body, velocity] of velocities) setVelocity(body, velocity);
  for (const body of bodies) integrate(body, constants.timeStep);
  const isSolved = solvePositions(contacts, joints);
  for (const body of bodies) synchronize(body, scene);
  fallAsleep(bodies, isSolved);
}

/** Depth first from the newest awake body, along its contacts and then its joints, each the newest first. */
function findIsland({ bodies, joints, contacts }: RigidWorld): Island {
  const seed = bodies.findLastIndex(({ awake }) => awake);
  const stack = seed < 0 ? [] : [seed];
  const seen = new Set(stack);
  const order: number[] = [];
  const jointOrder: number[] = [];
  for (let index = stack.pop(); index !== undefined; index = stack.pop()) {
    order.push(index);
    const body = bodies[index];
    if (body) wake(body);
    for (let joint = joints.length - 1; joint >= 0; joint--) {
      if (jointOrder.includes(joint) || (index !== 0 && index !== joint + 1)) continue;
      jointOrder.push(joint);
      const other = index === 0 ? joint + 1 : 0;
      if (seen.has(other)) continue;
      seen.add(other);
      stack.push(other);
    }
  }
  const touching = order.flatMap((index) =>
    contacts.filter((each) => each.body === index && each.enabled && each.touches),
  );
  return { bodies: order, joints: jointOrder, contacts: touching };
}

function accelerate(body: Body, { shapes }: Scene, gravity: number): void {
  const mass = shapes[body.shape]?.mass;
  if (!mass) return;
  body.x0 = body.x;
  body.y0 = body.y;
  body.angle0 = body.angle;
  body.vx = f(body.vx + f(constants.timeStep * f(0 + f(mass.inverse * body.forceX))));
  body.vy = f(body.vy + f(constants.timeStep * f(gravity + f(mass.inverse * body.forceY))));
  body.spin = f(body.spin + f(f(constants.timeStep * mass.inverseInertia) * body.torque));
}

interface StepOptions {
  readonly index: number;
  readonly stepRatio: number;
  readonly velocities: ReadonlyMap<Body, Velocity>;
}

function prepareJoint(
  { bodies, joints }: RigidWorld,
  { shapes }: Scene,
  { index, stepRatio, velocities }: StepOptions,
): JointConstraint[] {
  const joint: Joint | undefined = joints[index];
  const [a, b] = [bodies[0], bodies[index + 1]];
  const massA = a && shapes[a.shape]?.mass;
  const massB = b && shapes[b.shape]?.mass;
  const velocityA = a && velocities.get(a);
  const velocityB = b && velocities.get(b);
  if (!joint || !massA || !massB || !velocityA || !velocityB) return [];
  return [startJoint(joint, { a, b, velocityA, velocityB, massA, massB }, stepRatio)];
}

/** Returns whether all errors became small enough. */
function solvePositions(contacts: readonly ContactConstraint[], joints: readonly JointConstraint[]): boolean {
  for (let count = 0; count < constants.positionIterations; count++) {
    let isFine = true;
    for (const contact of contacts) {
      if (solveContactPosition(contact, constants.baumgarte) < deepest) isFine = false;
    }
    for (const joint of joints) {
      if (!solveJointPosition(joint)) isFine = false;
    }
    if (isFine) return true;
  }
  return false;
}

const deepest = f(-3 * constants.linearSlop);

/** Puts all bodies to sleep when each of them has been slow for long enough. */
function fallAsleep(bodies: readonly Body[], isSolved: boolean): void {
  let least = Infinity;
  for (const body of bodies) {
    const isFast =
      f(body.spin * body.spin) > angularLimit || f(f(body.vx * body.vx) + f(body.vy * body.vy)) > linearLimit;
    body.sleepTime = isFast ? 0 : f(body.sleepTime + constants.timeStep);
    least = Math.min(least, body.sleepTime);
  }
  if (isSolved && least >= constants.timeToSleep) for (const body of bodies) putToSleep(body);
}

const angularLimit = f(constants.angularSlop * constants.angularSlop);
const linearLimit = f(constants.linearSleepTolerance * constants.linearSleepTolerance);
