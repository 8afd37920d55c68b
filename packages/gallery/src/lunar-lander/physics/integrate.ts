import type { Motion } from "./body.ts";
import { maxRotation, maxTranslation } from "./constants.ts";

const f = Math.fround;

/** Moves a body at its velocity, which is limited first. */
export function integrate(body: Motion, time: number): void {
  const [x, y] = [f(time * body.vx), f(time * body.vy)];
  const squared = f(f(x * x) + f(y * y));
  if (squared > maxTranslation * maxTranslation) {
    const ratio = f(maxTranslation / f(Math.sqrt(squared)));
    body.vx = f(body.vx * ratio);
    body.vy = f(body.vy * ratio);
  }
  const rotation = f(time * body.spin);
  if (f(rotation * rotation) > f(maxRotation * maxRotation)) {
    body.spin = f(body.spin * f(maxRotation / Math.abs(rotation)));
  }
  body.x = f(body.x + f(time * body.vx));
  body.y = f(body.y + f(time * body.vy));
  body.angle = f(body.angle + f(time * body.spin));
}
