import { wake } from "./body.ts";
import type { Body } from "./body.ts";
import { movedBox, overlap } from "./boxes.ts";
import { collide } from "./collide.ts";
import type { Manifold } from "./collide.ts";
import type { Edge } from "./edge.ts";
import type { ContactBody } from "./contact-constraint.ts";
import type { Polygon } from "./polygon.ts";
import { place } from "./vector.ts";

/** A body whose box overlaps that of an edge of the ground. Plain data. */
export interface Contact {
  /** Indexes into the ground and the bodies. */
  readonly edge: number;
  readonly body: number;
  readonly friction: number;
  manifold: Manifold;
  touches: boolean;
  /** False after an impact was predicted that did not happen, until the contact is updated. */
  enabled: boolean;
  /** Within the impacts of one step: how many this contact had, and when the next is, if known. */
  impactCount: number;
  impactAt: number | undefined;
}

/** What contacts are between. */
export interface Scene {
  readonly ground: readonly Edge[];
  readonly bodies: readonly Body[];
  readonly shapes: Readonly<Record<string, Polygon>>;
}

/** Adds the contacts of bodies whose boxes moved. The order decides the solver's, and so the bits. */
export function findContacts(contacts: Contact[], { ground, bodies }: Scene, moved: ReadonlySet<number>): void {
  for (const [edge, { box, friction }] of ground.entries()) {
    for (const [index, body] of bodies.entries()) {
      if (!moved.has(index) || !overlap(box, body.box)) continue;
      if (contacts.some((each) => each.edge === edge && each.body === index)) continue;
      contacts.unshift({
        edge,
        body: index,
        friction: Math.fround(Math.sqrt(Math.fround(friction * body.friction))),
        manifold: noManifold,
        touches: false,
        enabled: true,
        impactCount: 0,
        impactAt: undefined,
      });
      wake(body);
    }
  }
}

const noManifold: Manifold = { reference: "edge", normal: { x: 0, y: 0 }, point: { x: 0, y: 0 }, points: [] };

/** Updates every contact of awake bodies. Returns those that remain. */
export function updateContacts(contacts: readonly Contact[], scene: Scene): Contact[] {
  return contacts.filter((contact) => {
    const body = scene.bodies[contact.body];
    const edge = scene.ground[contact.edge];
    if (!body?.awake || !edge) return true;
    if (overlap(edge.box, body.box)) updateContact(contact, scene);
    else if (contact.touches) body.touchesGround = false;
    return overlap(edge.box, body.box);
  });
}

/** Collides the two shapes anew, and keeps the impulses of points that go on. */
export function updateContact(contact: Contact, { ground, bodies, shapes }: Scene): void {
  const edge = ground[contact.edge];
  const body = bodies[contact.body];
  const shape = body && shapes[body.shape];
  if (!edge || !shape) return;
  const before = contact.manifold.points;
  const manifold = collide(edge, shape, body.transform);
  contact.enabled = true;
  contact.manifold = manifold ?? noManifold;
  for (const point of contact.manifold.points) {
    const last = before.find(({ feature }) => feature === point.feature);
    if (last) Object.assign(point, { normalImpulse: last.normalImpulse, tangentImpulse: last.tangentImpulse });
  }
  const touches = manifold !== undefined;
  if (touches === contact.touches) return;
  wake(body);
  contact.touches = touches;
  body.touchesGround = touches;
  if (touches) body.hasTouchedGround = true;
}

/** The body of a contact. */
export function touchedBy(contact: Contact, { bodies, shapes }: Scene): ContactBody | undefined {
  const body = bodies[contact.body];
  const shape = body && shapes[body.shape];
  return shape && { body, mass: shape.mass };
}

/** Moves the boxes of bodies after a step. Returns the indexes of those whose box changed. */
export function moveBoxes({ bodies, shapes }: Scene, indexes: Iterable<number>): ReadonlySet<number> {
  const moved = new Set<number>();
  for (const index of indexes) {
    const body = bodies[index];
    const polygon = body && shapes[body.shape];
    if (!polygon) continue;
    const from = place({ x: body.x0, y: body.y0 }, body.angle0, polygon.mass.center);
    const box = movedBox(body.box, polygon.vertices, [from, body.transform]);
    if (box !== body.box) moved.add(index);
    body.box = box;
  }
  return moved;
}
