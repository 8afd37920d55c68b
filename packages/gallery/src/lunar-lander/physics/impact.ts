import { linearSlop, maxPolygonVertices, pi, radius } from "./constants.ts";
import { distance } from "./distance.ts";
import type { Closest, Pair } from "./distance.ts";
import { transformAt } from "./body.ts";
import type { Sweep } from "./body.ts";
import { separationOf } from "./separation.ts";
import type { Separation } from "./separation.ts";
import { max } from "./vector.ts";
import type { Vector } from "./vector.ts";

const f = Math.fround;

/** When, as a part of its sweep, a moving shape first touches a resting one. Undefined if it does not, or overlaps it. */
export function timeOfImpact(pair: Pair, given: Sweep, center: Vector): number | undefined {
  const sweep = withoutTurns(given);
  let now = 0;
  let closest: Closest | undefined;
  for (let iteration = 0; iteration < maxIterations; iteration++) {
    closest = distance(pair, transformAt(sweep, now, center), closest);
    if (closest.distance <= 0) return undefined;
    if (closest.distance < f(target + tolerance)) return now;
    const separation = separationOf(pair, closest, { transformAt: (part) => transformAt(sweep, part, center), now });
    const found = advance(separation, now);
    if (found.isOver) return found.impact;
    now = found.now;
  }
  return undefined;
}

const maxIterations = 20;
const target = max(linearSlop, f(f(radius + radius) - f(3 * linearSlop)));
const tolerance = f(0.25 * linearSlop);
const fullTurn = f(2 * pi);

function withoutTurns(sweep: Sweep): Sweep {
  const turns = f(fullTurn * Math.floor(f(sweep.angle0 / fullTurn)));
  return { ...sweep, angle0: f(sweep.angle0 - turns), angle: f(sweep.angle - turns) };
}

type Advance = { readonly isOver: true; readonly impact?: number } | { readonly isOver: false; readonly now: number };

/** Moves forward to where the deepest points of this separation touch. */
function advance(separation: Separation, now: number): Advance {
  let later = 1;
  for (let attempt = 0; attempt < maxPolygonVertices; attempt++) {
    const { index, value } = separation.least(later);
    if (value > f(target + tolerance)) return { isOver: true };
    if (value > f(target - tolerance)) return { isOver: false, now: later };
    const atStart = separation.at(index, now);
    if (atStart < f(target - tolerance)) return { isOver: true };
    if (atStart <= f(target + tolerance)) return { isOver: true, impact: now };
    later = findRoot((part) => separation.at(index, part), { from: now, to: later, atStart, atEnd: value });
  }
  return { isOver: false, now };
}

interface Bracket {
  readonly from: number;
  readonly to: number;
  readonly atStart: number;
  readonly atEnd: number;
}

/** By bisection and secants in turn. */
function findRoot(valueAt: (part: number) => number, { from, to, atStart, atEnd }: Bracket): number {
  let [a1, a2, s1, s2] = [from, to, atStart, atEnd];
  for (let count = 0; count < 50; count++) {
    const part = count & 1 ? f(a1 + f(f(f(target - s1) * f(a2 - a1)) / f(s2 - s1))) : f(0.5 * f(a1 + a2));
    const value = valueAt(part);
    if (Math.abs(f(value - target)) < tolerance) return part;
    if (value > target) [a1, s1] = [part, value];
    else [a2, s2] = [part, value];
  }
  return to;
}
