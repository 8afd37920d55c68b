import { advanceSweep, setVelocity, synchronize, velocityOf, wake } from "./body.ts";
import type { Body } from "./body.ts";
import * as constants from "./constants.ts";
import { solveContactPosition, startContact } from "./contact-constraint.ts";
import type { ContactBody } from "./contact-constraint.ts";
import { solveContactVelocity } from "./contact-velocity.ts";
import { findContacts, moveBoxes, touchedBy, updateContact } from "./contacts.ts";
import type { Contact, Scene } from "./contacts.ts";
import { timeOfImpact } from "./impact.ts";
import { integrate } from "./integrate.ts";

const f = Math.fround;

/** Finds where fast bodies went into the ground within the step, and repeats the rest of the step from there. */
export function solveImpacts(contacts: Contact[], scene: Scene): void {
  for (const body of scene.bodies) body.alpha = 0;
  for (const contact of contacts) Object.assign(contact, { impactCount: 0, impactAt: undefined });
  const ground = { alpha: 0 };
  for (;;) {
    const next = findFirst(contacts, scene, ground);
    if (!next || f(1 - 10 * constants.epsilon) < next.alpha) return;
    const touched = touchedBy(next.contact, scene);
    if (touched) resolveImpact(contacts, scene, { ...next, ...touched, ground });
  }
}

/** How far into the step the ground is. It does not move, but bodies follow its time. */
interface GroundTime {
  alpha: number;
}

interface Impact {
  readonly contact: Contact;
  readonly alpha: number;
}

function findFirst(contacts: readonly Contact[], scene: Scene, ground: GroundTime): Impact | undefined {
  let first: Impact | undefined;
  for (const contact of contacts) {
    if (!contact.enabled || contact.impactCount > constants.maxSubSteps) continue;
    const alpha = contact.impactAt ?? predict(contact, scene, ground);
    if (alpha === undefined) continue;
    contact.impactAt = alpha;
    if (alpha < (first?.alpha ?? 1)) first = { contact, alpha };
  }
  return first;
}

/** When the contact's body meets its edge, or 1 if not in this step. Undefined if it sleeps. */
function predict(contact: Contact, scene: Scene, ground: GroundTime): number | undefined {
  const edge = scene.ground[contact.edge];
  const body = scene.bodies[contact.body];
  const shape = body && scene.shapes[body.shape];
  if (!edge || !shape || !body.awake) return undefined;
  if (ground.alpha < body.alpha) ground.alpha = body.alpha;
  else if (body.alpha < ground.alpha) advanceSweep(body, ground.alpha);
  const alpha = ground.alpha;
  const part = timeOfImpact({ a: [edge.from, edge.to], b: shape.vertices }, body, shape.mass.center);
  return part === undefined ? 1 : Math.min(f(alpha + f(f(1 - alpha) * part)), 1);
}

interface Resolution extends Impact, ContactBody {
  readonly ground: GroundTime;
}

function resolveImpact(contacts: Contact[], scene: Scene, { contact, alpha, body, mass, ground }: Resolution): void {
  const { x0, y0, angle0, x, y, angle, alpha: bodyAlpha } = body;
  const groundAlpha = ground.alpha;
  advanceSweep(body, alpha);
  Object.assign(body, { x: body.x0, y: body.y0, angle: body.angle0 });
  synchronize(body, scene);
  ground.alpha = alpha;
  updateContact(contact, scene);
  contact.impactAt = undefined;
  contact.impactCount++;
  if (!contact.touches) {
    contact.enabled = false;
    Object.assign(body, { x0, y0, angle0, x, y, angle, alpha: bodyAlpha });
    ground.alpha = groundAlpha;
    synchronize(body, scene);
    return;
  }
  wake(body);
  const ofBody = contacts.filter((each) => each.body === contact.body);
  const others = ofBody.filter((each) => each !== contact);
  for (const other of others) updateContact(other, scene);
  const touching = [contact, ...others.filter(({ touches }) => touches)];
  repeatRest(touching, { body, mass }, f(f(1 - alpha) * constants.timeStep));
  synchronize(body, scene);
  for (const each of ofBody) each.impactAt = undefined;
  findContacts(contacts, scene, moveBoxes(scene, [contact.body]));
}

/** Moves the body out of the ground, and then for the rest of the step, without its joints. */
function repeatRest(touching: readonly Contact[], of: ContactBody, time: number): void {
  const { body } = of;
  for (let count = 0; count < impactPositionIterations; count++) {
    const depths = touching.map(({ manifold }) => solveContactPosition({ manifold, ...of }, constants.impactBaumgarte));
    if (depths.every((depth) => depth >= deepest)) break;
  }
  startSweep(body);
  const velocity = velocityOf(body);
  const constraints = touching.map((contact) => startContact(contact, { ...of, velocity }, 0));
  for (let count = 0; count < constants.velocityIterations; count++) {
    for (const constraint of constraints) solveContactVelocity(constraint);
  }
  setVelocity(body, velocity);
  integrate(body, time);
}

function startSweep(body: Body): void {
  body.x0 = body.x;
  body.y0 = body.y;
  body.angle0 = body.angle;
}

const impactPositionIterations = 20;
const deepest = f(-1.5 * constants.linearSlop);
