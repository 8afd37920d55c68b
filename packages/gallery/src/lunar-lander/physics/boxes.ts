import { boxExtension, boxMultiplier, radius } from "./constants.ts";
import { apply, max, min } from "./vector.ts";
import type { Transform, Vector } from "./vector.ts";

const f = Math.fround;

/** An axis-aligned box. */
export interface Box {
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
  readonly top: number;
}

/** The box around points, with the skin that shapes have. */
export function boxAround(points: readonly Vector[]): Box {
  const [first = { x: 0, y: 0 }] = points;
  let { x: left, y: bottom } = first;
  let { x: right, y: top } = first;
  for (const { x, y } of points) {
    left = min(left, x);
    bottom = min(bottom, y);
    right = max(right, x);
    top = max(top, y);
  }
  return { left: f(left - radius), bottom: f(bottom - radius), right: f(right + radius), top: f(top + radius) };
}

export function extend({ left, bottom, right, top }: Box): Box {
  return {
    left: f(left - boxExtension),
    bottom: f(bottom - boxExtension),
    right: f(right + boxExtension),
    top: f(top + boxExtension),
  };
}

export function overlap(a: Box, b: Box): boolean {
  return b.left <= a.right && b.bottom <= a.top && a.left <= b.right && a.bottom <= b.top;
}

/** The box for a body that moved from one transform to another: the old one while it suffices, else one with room ahead. */
export function movedBox(old: Box, vertices: readonly Vector[], [from, to]: readonly [Transform, Transform]): Box {
  const swept = union(
    boxAround(vertices.map((each) => apply(from, each))),
    boxAround(vertices.map((each) => apply(to, each))),
  );
  if (contains(old, swept)) return old;
  const { left, bottom, right, top } = extend(swept);
  const x = f(boxMultiplier * f(to.x - from.x));
  const y = f(boxMultiplier * f(to.y - from.y));
  return {
    left: x < 0 ? f(left + x) : left,
    bottom: y < 0 ? f(bottom + y) : bottom,
    right: x < 0 ? right : f(right + x),
    top: y < 0 ? top : f(top + y),
  };
}

function union(a: Box, b: Box): Box {
  return {
    left: min(a.left, b.left),
    bottom: min(a.bottom, b.bottom),
    right: max(a.right, b.right),
    top: max(a.top, b.top),
  };
}

function contains(outer: Box, inner: Box): boolean {
  return (
    outer.left <= inner.left && outer.bottom <= inner.bottom && inner.right <= outer.right && inner.top <= outer.top
  );
}
