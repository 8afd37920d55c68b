import { epsilon } from "./constants.ts";
import { apply, combine, cross, dot, length, negate, subtract, unrotate } from "./vector.ts";
import type { Transform, Vector } from "./vector.ts";

const f = Math.fround;

/** Two convex shapes: a resting one, and one that is placed by a transform. */
export interface Pair {
  readonly a: readonly Vector[];
  readonly b: readonly Vector[];
}

/** The features that were closest, to begin the next search with. */
export interface Closest {
  readonly distance: number;
  /** The length, or the area, that the features span. */
  readonly metric: number;
  readonly indexes: readonly { readonly a: number; readonly b: number }[];
}

/** The distance of two shapes without their skins, by the algorithm of Gilbert, Johnson and Keerthi. */
export function distance(pair: Pair, transform: Transform, last: Closest | undefined): Closest {
  let simplex = begin(pair, transform, last);
  for (let iteration = 0; iteration < maxIterations; iteration++) {
    const before = simplex;
    simplex = reduce(simplex);
    if (simplex.length === 3) break;
    const direction = searchDirection(simplex);
    if (f(f(direction.x * direction.x) + f(direction.y * direction.y)) < epsilon * epsilon) break;
    const a = support(pair.a, negate(direction));
    const b = support(pair.b, unrotate(transform, direction));
    if (before.some((each) => each.a === a && each.b === b)) break;
    simplex = [...simplex, vertex(pair, transform, { a, b })];
  }
  return { distance: distanceOf(simplex), metric: metricOf(simplex), indexes: simplex.map(({ a, b }) => ({ a, b })) };
}

const maxIterations = 20;

/** The index of the vertex that is furthest in a direction. */
export function support(vertices: readonly Vector[], direction: Vector): number {
  let best = 0;
  let most = -Infinity;
  for (const [index, each] of vertices.entries()) {
    const value = dot(each, direction);
    if (value > most) [best, most] = [index, value];
  }
  return best;
}

/** A vertex of the difference of the shapes. */
interface SimplexVertex {
  readonly a: number;
  readonly b: number;
  readonly onA: Vector;
  readonly onB: Vector;
  readonly w: Vector;
  /** Its share of the closest point. */
  readonly share: number;
}

type Simplex = readonly SimplexVertex[];

function vertex(pair: Pair, transform: Transform, { a, b }: { a: number; b: number }): SimplexVertex {
  const onA = pair.a[a] ?? origin;
  const onB = apply(transform, pair.b[b] ?? origin);
  return { a, b, onA, onB, w: subtract(onB, onA), share: 0 };
}

const origin = { x: 0, y: 0 };

function begin(pair: Pair, transform: Transform, last: Closest | undefined): Simplex {
  const simplex = (last?.indexes ?? []).map((each) => vertex(pair, transform, each));
  if (last && simplex.length > 1) {
    const metric = metricOf(simplex);
    const hasChanged = metric < f(0.5 * last.metric) || f(2 * last.metric) < metric || metric < epsilon;
    if (!hasChanged) return simplex;
  } else if (simplex.length === 1) return simplex;
  return [vertex(pair, transform, { a: 0, b: 0 })];
}

/** The part of a simplex that is closest to the origin, with shares. */
function reduce(simplex: Simplex): Simplex {
  const [first, second, third] = simplex;
  if (first && second && third) return reduceTriangle(first, second, third);
  return first && second ? reduceSegment(first, second) : simplex;
}

function reduceSegment(first: SimplexVertex, second: SimplexVertex): Simplex {
  const along = subtract(second.w, first.w);
  const ofSecond = -dot(first.w, along);
  if (ofSecond <= 0) return [{ ...first, share: 1 }];
  const ofFirst = dot(second.w, along);
  if (ofFirst <= 0) return [{ ...second, share: 1 }];
  return share([first, ofFirst], [second, ofSecond]);
}

function share([first, ofFirst]: Weighed, [second, ofSecond]: Weighed): Simplex {
  const inverse = f(1 / f(ofFirst + ofSecond));
  return [
    { ...first, share: f(ofFirst * inverse) },
    { ...second, share: f(ofSecond * inverse) },
  ];
}

type Weighed = readonly [SimplexVertex, number];

function reduceTriangle(first: SimplexVertex, second: SimplexVertex, third: SimplexVertex): Simplex {
  const [w1, w2, w3] = [first.w, second.w, third.w];
  const [e12, e13, e23] = [subtract(w2, w1), subtract(w3, w1), subtract(w3, w2)];
  const [d12of1, d12of2] = [dot(w2, e12), -dot(w1, e12)];
  const [d13of1, d13of2] = [dot(w3, e13), -dot(w1, e13)];
  const [d23of1, d23of2] = [dot(w3, e23), -dot(w2, e23)];
  const area = cross(e12, e13);
  const of1 = f(area * cross(w2, w3));
  const of2 = f(area * cross(w3, w1));
  const of3 = f(area * cross(w1, w2));
  if (d12of2 <= 0 && d13of2 <= 0) return [{ ...first, share: 1 }];
  if (d12of1 > 0 && d12of2 > 0 && of3 <= 0) return share([first, d12of1], [second, d12of2]);
  if (d13of1 > 0 && d13of2 > 0 && of2 <= 0) return share([first, d13of1], [third, d13of2]);
  if (d12of1 <= 0 && d23of2 <= 0) return [{ ...second, share: 1 }];
  if (d13of1 <= 0 && d23of1 <= 0) return [{ ...third, share: 1 }];
  // The third vertex takes the place of the first.
  if (d23of1 > 0 && d23of2 > 0 && of1 <= 0) return share([third, d23of2], [second, d23of1]);
  const inverse = f(1 / f(f(of1 + of2) + of3));
  return [
    { ...first, share: f(of1 * inverse) },
    { ...second, share: f(of2 * inverse) },
    { ...third, share: f(of3 * inverse) },
  ];
}

/** From the simplex towards the origin. */
function searchDirection([first, second]: Simplex): Vector {
  if (!first) return origin;
  if (!second) return negate(first.w);
  const along = subtract(second.w, first.w);
  return cross(along, negate(first.w)) > 0 ? { x: -along.y, y: along.x } : { x: along.y, y: -along.x };
}

function distanceOf([first, second, third]: Simplex): number {
  if (!first || third) return 0;
  if (!second) return length(subtract(first.onA, first.onB));
  const a = combine([first.share, first.onA], [second.share, second.onA]);
  const b = combine([first.share, first.onB], [second.share, second.onB]);
  return length(subtract(a, b));
}

function metricOf([first, second, third]: Simplex): number {
  if (!first || !second) return 0;
  if (!third) return length(subtract(first.w, second.w));
  return cross(subtract(second.w, first.w), subtract(third.w, first.w));
}
