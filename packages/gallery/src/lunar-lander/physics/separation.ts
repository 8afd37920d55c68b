import { support } from "./distance.ts";
import type { Closest, Pair } from "./distance.ts";
import { apply, dot, negate, normalize, rotate, subtract, unrotate } from "./vector.ts";
import type { Transform, Vector } from "./vector.ts";

const f = Math.fround;

/** How far two shapes are apart along one axis, at each part of a sweep. */
export interface Separation {
  /** The least value, and the vertices that have it. */
  least(part: number): { readonly index: VertexPair; readonly value: number };
  at(index: VertexPair, part: number): number;
}

interface VertexPair {
  readonly a: number;
  readonly b: number;
}

/** Along the line of two closest vertices, or along the normal of the side that a closest vertex faces. */
export function separationOf(
  pair: Pair,
  { indexes }: Closest,
  { transformAt, now }: { transformAt: (part: number) => Transform; now: number },
): Separation {
  const [first = { a: 0, b: 0 }, second] = indexes;
  const transform = transformAt(now);
  if (!second) return ofPoints(pair, transformAt, axisOfPoints(pair, transform, first));
  if (first.a === second.a) return ofMovingSide(pair, transformAt, { first, second, transform });
  return ofRestingSide(pair, transformAt, { first, second, transform });
}

function axisOfPoints({ a, b }: Pair, transform: Transform, index: VertexPair): Vector {
  return normalize(subtract(apply(transform, at(b, index.b)), at(a, index.a)));
}

function ofPoints({ a, b }: Pair, transformAt: (part: number) => Transform, axis: Vector): Separation {
  const value = (index: VertexPair, transform: Transform) =>
    dot(subtract(apply(transform, at(b, index.b)), at(a, index.a)), axis);
  return {
    least: (part) => {
      const transform = transformAt(part);
      const index = { a: support(a, axis), b: support(b, unrotate(transform, negate(axis))) };
      return { index, value: value(index, transform) };
    },
    at: (index, part) => value(index, transformAt(part)),
  };
}

interface Facing {
  readonly first: VertexPair;
  readonly second: VertexPair;
  readonly transform: Transform;
}

function ofMovingSide(
  { a, b }: Pair,
  transformAt: (part: number) => Transform,
  { first, second, transform }: Facing,
): Separation {
  const side = sideOf(at(b, first.b), at(b, second.b));
  const distanceAlong = (axis: Vector, here: Transform, vertex: Vector) =>
    dot(subtract(vertex, apply(here, side.middle)), rotate(here, axis));
  const isReversed = distanceAlong(side.axis, transform, at(a, first.a)) < 0;
  const axis = isReversed ? negate(side.axis) : side.axis;
  return {
    least: (part) => {
      const here = transformAt(part);
      const index = { a: support(a, negate(rotate(here, axis))), b: -1 };
      return { index, value: distanceAlong(axis, here, at(a, index.a)) };
    },
    at: (index, part) => distanceAlong(axis, transformAt(part), at(a, index.a)),
  };
}

function ofRestingSide(
  { a, b }: Pair,
  transformAt: (part: number) => Transform,
  { first, second, transform }: Facing,
): Separation {
  const side = sideOf(at(a, first.a), at(a, second.a));
  const distanceAlong = (axis: Vector, here: Transform, vertex: Vector) =>
    dot(subtract(apply(here, vertex), side.middle), axis);
  const isReversed = distanceAlong(side.axis, transform, at(b, first.b)) < 0;
  const axis = isReversed ? negate(side.axis) : side.axis;
  return {
    least: (part) => {
      const here = transformAt(part);
      const index = { a: -1, b: support(b, unrotate(here, negate(axis))) };
      return { index, value: distanceAlong(axis, here, at(b, index.b)) };
    },
    at: (index, part) => distanceAlong(axis, transformAt(part), at(b, index.b)),
  };
}

/** The normal and the middle of a side. */
function sideOf(from: Vector, to: Vector): { axis: Vector; middle: Vector } {
  const along = subtract(to, from);
  return {
    axis: normalize({ x: along.y, y: -along.x }),
    middle: { x: f(0.5 * f(from.x + to.x)), y: f(0.5 * f(from.y + to.y)) },
  };
}

function at(vertices: readonly Vector[], index: number): Vector {
  return vertices[index] ?? { x: 0, y: 0 };
}
