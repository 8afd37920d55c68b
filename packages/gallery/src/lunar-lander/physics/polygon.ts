import { normalize, subtract } from "./vector.ts";
import type { Vector } from "./vector.ts";

const f = Math.fround;

export interface Polygon {
  readonly vertices: readonly Vector[];
  /** The outward normal of the side that begins at each vertex. */
  readonly normals: readonly Vector[];
  readonly centroid: Vector;
  readonly mass: Mass;
}

export interface Mass {
  readonly inverse: number;
  readonly inverseInertia: number;
  readonly center: Vector;
}

/** A convex polygon. The vertices go counter-clockwise, from the lowest of the right-most. */
export function polygon(points: readonly Vector[], density: number): Polygon {
  const vertices = points.map(({ x, y }) => ({ x: f(x), y: f(y) }));
  const normals = sides(vertices).map(([from, to]) => {
    const edge = subtract(to, from);
    return normalize({ x: edge.y, y: -edge.x });
  });
  return { vertices, normals, centroid: centroidOf(vertices), mass: massOf(vertices, density) };
}

/** A box around the origin, given half its width and half its height. */
export function box(half: Vector, density: number): Polygon {
  const [x, y] = [f(half.x), f(half.y)];
  const vertices = [
    { x: -x, y: -y },
    { x, y: -y },
    { x, y },
    { x: -x, y },
  ];
  const normals = [
    { x: 0, y: -1 },
    { x: 1, y: 0 },
    { x: 0, y: 1 },
    { x: -1, y: 0 },
  ];
  return { vertices, normals, centroid: { x: 0, y: 0 }, mass: massOf(vertices, density) };
}

const third = f(1 / 3);

function sides(vertices: readonly Vector[]): (readonly [Vector, Vector])[] {
  return vertices.map((from, index) => [from, vertices[(index + 1) % vertices.length] ?? from] as const);
}

/** As triangles from the origin. Collisions use this point; motion uses the centre of mass, which rounds differently. */
function centroidOf(vertices: readonly Vector[]): Vector {
  let [x, y, area] = [0, 0, 0];
  for (const [p, q] of sides(vertices)) {
    const triangle = f(0.5 * f(f(p.x * q.y) - f(p.y * q.x)));
    area = f(area + triangle);
    const weight = f(triangle * third);
    x = f(x + f(weight * f(p.x + q.x)));
    y = f(y + f(weight * f(p.y + q.y)));
  }
  const inverse = f(1 / area);
  return { x: f(x * inverse), y: f(y * inverse) };
}

/** As triangles from the mean of the vertices. */
function massOf(vertices: readonly Vector[], density: number): Mass {
  const middle = meanOf(vertices);
  let [x, y, area, inertia] = [0, 0, 0, 0];
  for (const [p, q] of sides(vertices.map((vertex) => subtract(vertex, middle)))) {
    const twice = f(f(p.x * q.y) - f(p.y * q.x));
    const triangle = f(0.5 * twice);
    area = f(area + triangle);
    const weight = f(triangle * third);
    x = f(x + f(weight * f(p.x + q.x)));
    y = f(y + f(weight * f(p.y + q.y)));
    const along = f(f(f(p.x * p.x) + f(q.x * p.x)) + f(q.x * q.x));
    const up = f(f(f(p.y * p.y) + f(q.y * p.y)) + f(q.y * q.y));
    inertia = f(inertia + f(f(f(0.25 * third) * twice) * f(along + up)));
  }
  const mass = f(density * area);
  const inverseArea = f(1 / area);
  const local = { x: f(x * inverseArea), y: f(y * inverseArea) };
  const center = { x: f(local.x + middle.x), y: f(local.y + middle.y) };
  const aboutOrigin = f(f(density * inertia) + f(mass * f(squared(center) - squared(local))));
  return bodyMass(mass, center, aboutOrigin);
}

/** What a body makes of the mass of its only fixture: it weighs the centre by the mass and divides it again. */
function bodyMass(mass: number, center: Vector, inertia: number): Mass {
  const inverse = f(1 / mass);
  const weighed = { x: f(f(mass * center.x) * inverse), y: f(f(mass * center.y) * inverse) };
  const aboutCenter = f(inertia - f(mass * squared(weighed)));
  return { inverse, inverseInertia: f(1 / aboutCenter), center: weighed };
}

function meanOf(vertices: readonly Vector[]): Vector {
  let [x, y] = [0, 0];
  for (const vertex of vertices) [x, y] = [f(x + vertex.x), f(y + vertex.y)];
  const share = f(1 / vertices.length);
  return { x: f(x * share), y: f(y * share) };
}

function squared({ x, y }: Vector): number {
  return f(f(x * x) + f(y * y));
}
