import { boxAround, extend } from "./boxes.ts";
import type { Box } from "./boxes.ts";
import { normalize, subtract } from "./vector.ts";
import type { Vector } from "./vector.ts";

/** A straight piece of the ground, which never moves. */
export interface Edge {
  readonly from: Vector;
  readonly to: Vector;
  /** Points to the right of the way from `from` to `to`: down, for ground that is listed from left to right. */
  readonly normal: Vector;
  readonly friction: number;
  readonly box: Box;
}

export function edge(start: Vector, end: Vector, friction: number): Edge {
  const from = { x: Math.fround(start.x), y: Math.fround(start.y) };
  const to = { x: Math.fround(end.x), y: Math.fround(end.y) };
  const along = normalize(subtract(to, from));
  return {
    from,
    to,
    normal: { x: along.y, y: -along.x },
    friction: Math.fround(friction),
    box: extend(boxAround([from, to])),
  };
}
