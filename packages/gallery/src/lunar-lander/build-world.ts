import { box, polygon } from "./physics/polygon.ts";
import { createBody } from "./physics/world.ts";
import type { RigidWorld } from "./physics/world.ts";
import type { Joint } from "./physics/joint.ts";
import { height, width } from "./terrain.ts";

const f = Math.fround;

const outline = [
  [17, -10],
  [17, 0],
  [14, 17],
  [-14, 17],
  [-17, 0],
  [-17, -10],
] as const;

export const hull = polygon(
  outline.map(([x, y]) => ({ x: x / 30, y: y / 30 })),
  5,
);

export const shapes = { hull, leg: box({ x: 2 / 30, y: 8 / 30 }, 1) };

/** The lander and its legs above the middle of the ground. Body 0 is the lander. */
export function buildWorld(gravity: number): RigidWorld {
  const position = { x: width / 2, y: height };
  const lander = createBody({ shape: "hull", polygon: hull, position, angle: 0, friction: 0.1 });
  const legs = sides.map((side) =>
    createBody({
      shape: "leg",
      polygon: shapes.leg,
      position: { x: position.x - (side * 20) / 30, y: position.y },
      angle: side * 0.05,
      friction: 0.2,
    }),
  );
  return { gravity: f(gravity), bodies: [lander, ...legs], joints: sides.map(hinge), contacts: [], lastRate: 0 };
}

const sides = [-1, 1] as const;

function hinge(side: -1 | 1): Joint {
  const [lower, upper] = side === -1 ? [0.9 - 0.5, 0.9] : [-0.9, -0.9 + 0.5];
  return {
    anchor: { x: f((side * 20) / 30), y: f(18 / 30) },
    referenceAngle: f(f(side * 0.05) - 0),
    lower: f(lower),
    upper: f(upper),
    motorSpeed: f(0.3 * side),
    maxTorque: 40,
    limit: "none",
    impulseX: 0,
    impulseY: 0,
    limitImpulse: 0,
    motorImpulse: 0,
  };
}
