import { angularSlop, radius } from "./constants.ts";
import type { Edge } from "./edge.ts";
import type { Polygon } from "./polygon.ts";
import { apply, dot, min, negate, rotate, subtract, unapply } from "./vector.ts";
import type { Transform, Vector } from "./vector.ts";

const f = Math.fround;

/** Where a polygon touches an edge. */
export interface Manifold {
  /** Whose side is the reference: the normal and the point are in the coordinates of it, the other points are not. */
  readonly reference: "edge" | "polygon";
  readonly normal: Vector;
  readonly point: Vector;
  readonly points: ManifoldPoint[];
}

export interface ManifoldPoint {
  readonly point: Vector;
  /** The features that meet here. Impulses are kept from step to step for equal features. */
  readonly feature: number;
  normalImpulse: number;
  tangentImpulse: number;
}

/** The contact of an edge without neighbours and a polygon, or undefined if they do not touch. */
export function collide(edge: Edge, polygon: Polygon, transform: Transform): Manifold | undefined {
  const centroid = apply(transform, polygon.centroid);
  const isFront = dot(edge.normal, subtract(centroid, edge.from)) >= 0;
  const normal = isFront ? edge.normal : negate(edge.normal);
  const vertices = polygon.vertices.map((vertex) => apply(transform, vertex));
  const normals = polygon.normals.map((each) => rotate(transform, each));
  const meeting: Meeting = { edge, normal, vertices, normals };

  const ofEdge = Math.min(...vertices.map((vertex) => dot(normal, subtract(vertex, edge.from))));
  if (ofEdge > skin) return undefined;
  const ofPolygon = polygonSeparation(meeting);
  if (ofPolygon.separation > skin) return undefined;

  const isPolygon = ofPolygon.separation > f(f(relativeTolerance * ofEdge) + absoluteTolerance);
  const side = isPolygon ? polygonSide(meeting, ofPolygon.index) : edgeSide(meeting, isFront);
  const clipped = clipToSide(side);
  if (!clipped) return undefined;
  const points = clipped
    .filter(({ point }) => dot(side.normal, subtract(point, side.from)) <= skin)
    .map(({ point, feature }) => ({
      point: isPolygon ? point : unapply(transform, point),
      feature: isPolygon ? keyOf(swapped(feature)) : keyOf(feature),
      normalImpulse: 0,
      tangentImpulse: 0,
    }));
  if (points.length === 0) return undefined;
  if (!isPolygon) return { reference: "edge", normal: side.normal, point: side.from, points };
  const [localNormal, localPoint] = [polygon.normals[side.index], polygon.vertices[side.index]];
  return { reference: "polygon", normal: localNormal ?? normal, point: localPoint ?? centroid, points };
}

const skin = f(2 * radius);
const relativeTolerance = f(0.98);
const absoluteTolerance = f(0.001);

interface Meeting {
  readonly edge: Edge;
  /** The edge's normal that points towards the polygon. */
  readonly normal: Vector;
  readonly vertices: readonly Vector[];
  readonly normals: readonly Vector[];
}

/** The side of the polygon that separates it most from the edge. */
function polygonSeparation({ edge, normal, vertices, normals }: Meeting): { index: number; separation: number } {
  let best = { index: -1, separation: -Infinity };
  for (const [index, vertex] of vertices.entries()) {
    const outward = negate(normals[index] ?? normal);
    const separation = min(dot(outward, subtract(vertex, edge.from)), dot(outward, subtract(vertex, edge.to)));
    if (separation > skin) return { index, separation };
    // Both limits of an edge without neighbours are the reverse of its normal.
    if (dot(subtract(outward, negate(normal)), normal) < -angularSlop) continue;
    if (separation > best.separation) best = { index, separation };
  }
  return best;
}

interface Feature {
  readonly a: number;
  readonly b: number;
  readonly isFaceA: boolean;
  readonly isFaceB: boolean;
}

interface ClipPoint {
  readonly point: Vector;
  readonly feature: Feature;
}

/** The reference side, and the two points of the other shape that are clipped to it. */
interface Side {
  readonly index: number;
  readonly nextIndex: number;
  readonly from: Vector;
  readonly to: Vector;
  readonly normal: Vector;
  readonly incident: readonly [ClipPoint, ClipPoint];
}

function edgeSide({ edge, normal, vertices, normals }: Meeting, isFront: boolean): Side {
  const values = normals.map((each) => dot(normal, each));
  const first = values.indexOf(Math.min(...values));
  const second = first + 1 < vertices.length ? first + 1 : 0;
  const incident = (b: number): ClipPoint => ({
    point: vertices[b] ?? edge.from,
    feature: { a: 0, b, isFaceA: true, isFaceB: false },
  });
  return {
    index: isFront ? 0 : 1,
    nextIndex: isFront ? 1 : 0,
    from: isFront ? edge.from : edge.to,
    to: isFront ? edge.to : edge.from,
    normal,
    incident: [incident(first), incident(second)],
  };
}

function polygonSide({ edge, vertices, normals }: Meeting, index: number): Side {
  const nextIndex = index + 1 < vertices.length ? index + 1 : 0;
  const feature = { a: 0, b: index, isFaceA: false, isFaceB: true };
  return {
    index,
    nextIndex,
    from: vertices[index] ?? edge.from,
    to: vertices[nextIndex] ?? edge.to,
    normal: normals[index] ?? edge.normal,
    incident: [
      { point: edge.from, feature },
      { point: edge.to, feature },
    ],
  };
}

function clipToSide({ index, nextIndex, from, to, normal, incident }: Side): readonly ClipPoint[] | undefined {
  const before = { x: normal.y, y: -normal.x };
  const after = negate(before);
  const once = clip(incident, before, { offset: dot(before, from), vertex: index });
  if (!once) return undefined;
  return clip(once, after, { offset: dot(after, to), vertex: nextIndex });
}

/** Cuts off what lies beyond a line. Undefined if less than a segment is left. */
function clip(
  [first, second]: readonly [ClipPoint, ClipPoint],
  normal: Vector,
  { offset, vertex }: { offset: number; vertex: number },
): readonly [ClipPoint, ClipPoint] | undefined {
  const distances = [f(dot(normal, first.point) - offset), f(dot(normal, second.point) - offset)] as const;
  const kept: ClipPoint[] = [];
  if (distances[0] <= 0) kept.push(first);
  if (distances[1] <= 0) kept.push(second);
  if (f(distances[0] * distances[1]) < 0) {
    const part = f(distances[0] / f(distances[0] - distances[1]));
    const between = subtract(second.point, first.point);
    kept.push({
      point: { x: f(first.point.x + f(part * between.x)), y: f(first.point.y + f(part * between.y)) },
      feature: { a: vertex, b: first.feature.b, isFaceA: false, isFaceB: true },
    });
  }
  const [one, other] = kept;
  return one && other && [one, other];
}

function swapped({ a, b, isFaceA, isFaceB }: Feature): Feature {
  return { a: b, b: a, isFaceA: isFaceB, isFaceB: isFaceA };
}

function keyOf({ a, b, isFaceA, isFaceB }: Feature): number {
  return a + b * 256 + Number(isFaceA) * 65_536 + Number(isFaceB) * 131_072;
}
