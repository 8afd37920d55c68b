import { epsilon } from "./constants.ts";
import { cosine, sine } from "./trigonometry.ts";

const f = Math.fround;

export interface Vector {
  readonly x: number;
  readonly y: number;
}

/** A position and a rotation. */
export interface Transform extends Vector {
  readonly sin: number;
  readonly cos: number;
}

// Every operation rounds to float32 on its own, in the order in which Box2D writes it.

export function subtract(a: Vector, b: Vector): Vector {
  return { x: f(a.x - b.x), y: f(a.y - b.y) };
}

export function negate({ x, y }: Vector): Vector {
  return { x: -x, y: -y };
}

export function dot(a: Vector, b: Vector): number {
  return f(f(a.x * b.x) + f(a.y * b.y));
}

export function cross(a: Vector, b: Vector): number {
  return f(f(a.x * b.y) - f(a.y * b.x));
}

export function length({ x, y }: Vector): number {
  return f(Math.sqrt(f(f(x * x) + f(y * y))));
}

export function normalize(vector: Vector): Vector {
  const size = length(vector);
  if (size < epsilon) return vector;
  const inverse = f(1 / size);
  return { x: f(vector.x * inverse), y: f(vector.y * inverse) };
}

/** `a * p + b * q`. */
export function combine([a, p]: readonly [number, Vector], [b, q]: readonly [number, Vector]): Vector {
  return { x: f(f(a * p.x) + f(b * q.x)), y: f(f(a * p.y) + f(b * q.y)) };
}

export function rotate({ sin, cos }: Transform, { x, y }: Vector): Vector {
  return { x: f(f(cos * x) - f(sin * y)), y: f(f(sin * x) + f(cos * y)) };
}

export function unrotate({ sin, cos }: Transform, { x, y }: Vector): Vector {
  return { x: f(f(cos * x) + f(sin * y)), y: f(f(-sin * x) + f(cos * y)) };
}

export function apply(transform: Transform, point: Vector): Vector {
  const { x, y } = rotate(transform, point);
  return { x: f(x + transform.x), y: f(y + transform.y) };
}

export function unapply(transform: Transform, point: Vector): Vector {
  return unrotate(transform, subtract(point, transform));
}

/** The transform of a body whose centre of mass, `local` in its own coordinates, is at `center`. */
export function place(center: Vector, angle: number, local: Vector): Transform {
  const sin = sine(angle);
  const cos = cosine(angle);
  return {
    x: f(center.x - f(f(cos * local.x) - f(sin * local.y))),
    y: f(center.y - f(f(sin * local.x) + f(cos * local.y))),
    sin,
    cos,
  };
}

/** As Box2D's, which tells which zero and which side of a tie is returned. */
export function min(a: number, b: number): number {
  return a < b ? a : b;
}

export function max(a: number, b: number): number {
  return a > b ? a : b;
}

export function clamp(value: number, low: number, high: number): number {
  return max(low, min(value, high));
}
