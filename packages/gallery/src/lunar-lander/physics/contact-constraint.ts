import { linearSlop, maxLinearCorrection, radius } from "./constants.ts";
import type { Body, Velocity } from "./body.ts";
import type { Contact } from "./contacts.ts";
import type { Manifold } from "./collide.ts";
import type { Mass } from "./polygon.ts";
import { apply, clamp, cross, dot, min, negate, place, rotate, subtract } from "./vector.ts";
import type { Vector } from "./vector.ts";

const f = Math.fround;

/**
 * A touching contact in one step. The ground has infinite mass and rests, so its terms are zero and left
 * out, as is the bias for bouncing: nothing bounces here.
 */
export interface ContactConstraint {
  readonly manifold: Manifold;
  readonly body: Body;
  readonly velocity: Velocity;
  readonly mass: Mass;
  readonly friction: number;
  readonly nx: number;
  readonly ny: number;
  /** One, or two that are solved together. */
  readonly points: readonly ConstraintPoint[];
  /** For two points: the matrix that relates their impulses and speeds, and its inverse. */
  readonly block: Block | undefined;
}

export interface ConstraintPoint {
  readonly rx: number;
  readonly ry: number;
  readonly normalMass: number;
  readonly tangentMass: number;
  /** Along the normal, along the tangent. */
  readonly impulses: Float32Array & { 0: number; 1: number };
}

/** Prepares a contact for the velocity iterations. `stepRatio` scales the last impulses; 0 drops them. */
export function startContact(
  contact: Contact,
  { body, velocity, mass }: MovingBody,
  stepRatio: number,
): ContactConstraint {
  const { manifold, friction } = contact;
  const world = worldPoints(manifold, body, mass);
  const normal = world.normal;
  const tangent = { x: normal.y, y: -normal.x };
  const { inverse: m, inverseInertia: i } = mass;
  const arms = world.points.map((point) => subtract(point, body));
  const points = arms.map((arm, index) => {
    const along = cross(arm, normal);
    const across = cross(arm, tangent);
    const last = manifold.points[index];
    return {
      rx: arm.x,
      ry: arm.y,
      normalMass: f(1 / f(m + f(f(i * along) * along))),
      tangentMass: f(1 / f(m + f(f(i * across) * across))),
      impulses: Float32Array.of(
        stepRatio * (last?.normalImpulse ?? 0),
        stepRatio * (last?.tangentImpulse ?? 0),
      ) as ConstraintPoint["impulses"],
    };
  });
  const [first, second] = arms;
  const block = first && second && blockOf(mass, cross(first, normal), cross(second, normal));
  const solved = block ? points : points.slice(0, 1);
  return { manifold, body, velocity, mass, friction, nx: normal.x, ny: normal.y, points: solved, block };
}

export interface ContactBody {
  readonly body: Body;
  readonly mass: Mass;
}

interface MovingBody extends ContactBody {
  readonly velocity: Velocity;
}

export type Block = Readonly<NonNullable<ReturnType<typeof blockOf>>>;

/** Undefined if the points are so close that the matrix cannot be inverted. The second point is then left out. */
function blockOf({ inverse: m, inverseInertia: i }: Mass, first: number, second: number) {
  const k11 = f(m + f(f(i * first) * first));
  const k22 = f(m + f(f(i * second) * second));
  const k12 = f(m + f(f(i * first) * second));
  const det = f(f(k11 * k22) - f(k12 * k12));
  if (!(f(k11 * k11) < f(1000 * det))) return undefined;
  const inverse = det === 0 ? 0 : f(1 / det);
  return { k11, k12, k22, inverse11: f(inverse * k22), inverse12: f(-inverse * k12), inverse22: f(inverse * k11) };
}

interface WorldPoints {
  readonly normal: Vector;
  readonly points: readonly Vector[];
}

/** The contact points halfway between the two skins, and the normal that points away from the ground. */
function worldPoints(manifold: Manifold, body: Body, mass: Mass): WorldPoints {
  const transform = place(body, body.angle, mass.center);
  const isEdge = manifold.reference === "edge";
  const normal = isEdge ? manifold.normal : rotate(transform, manifold.normal);
  const plane = isEdge ? manifold.point : apply(transform, manifold.point);
  const points = manifold.points.map(({ point }) => {
    const clipped = isEdge ? apply(transform, point) : point;
    const gap = f(radius - dot(subtract(clipped, plane), normal));
    const [onReference, onOther] = [
      { x: f(clipped.x + f(gap * normal.x)), y: f(clipped.y + f(gap * normal.y)) },
      { x: f(clipped.x - f(radius * normal.x)), y: f(clipped.y - f(radius * normal.y)) },
    ];
    return { x: f(0.5 * f(onReference.x + onOther.x)), y: f(0.5 * f(onReference.y + onOther.y)) };
  });
  return { normal: isEdge ? normal : negate(normal), points };
}

/** Applies the impulses that were kept from the last step. */
export function warmStartContact({ velocity, mass, nx, ny, points }: ContactConstraint): void {
  for (const { rx, ry, impulses } of points) {
    const x = f(f(impulses[0] * nx) + f(impulses[1] * ny));
    const y = f(f(impulses[0] * ny) + f(impulses[1] * -nx));
    velocity[2] += f(mass.inverseInertia * f(f(rx * y) - f(ry * x)));
    velocity[0] += f(mass.inverse * x);
    velocity[1] += f(mass.inverse * y);
  }
}

/** Keeps the impulses for the next step. */
export function storeImpulses({ manifold, points }: ContactConstraint): void {
  for (const [index, { impulses }] of points.entries()) {
    const kept = manifold.points[index];
    if (kept) Object.assign(kept, { normalImpulse: impulses[0], tangentImpulse: impulses[1] });
  }
}

/** One position iteration. Returns the least separation. */
export function solveContactPosition(
  { manifold, body, mass }: Pick<ContactConstraint, "manifold" | "body" | "mass">,
  baumgarte: number,
): number {
  const { inverse: m, inverseInertia: i, center } = mass;
  const isEdge = manifold.reference === "edge";
  let least = 0;
  for (const { point } of manifold.points) {
    const transform = place(body, body.angle, center);
    const outward = isEdge ? manifold.normal : rotate(transform, manifold.normal);
    const plane = isEdge ? manifold.point : apply(transform, manifold.point);
    const clipped = isEdge ? apply(transform, point) : point;
    const separation = f(f(dot(subtract(clipped, plane), outward) - radius) - radius);
    const normal = isEdge ? outward : negate(outward);
    const [rx, ry] = [f(clipped.x - body.x), f(clipped.y - body.y)];
    least = min(least, separation);
    const correction = clamp(f(baumgarte * f(separation + linearSlop)), -maxLinearCorrection, 0);
    const along = f(f(rx * normal.y) - f(ry * normal.x));
    const impulse = f(-correction / f(m + f(f(i * along) * along)));
    const [x, y] = [f(impulse * normal.x), f(impulse * normal.y)];
    body.x = f(body.x + f(m * x));
    body.y = f(body.y + f(m * y));
    body.angle = f(body.angle + f(i * f(f(rx * y) - f(ry * x))));
  }
  return least;
}
