/** The observation of a flight. The pad is at the origin; the sides of the area are at -1 and 1. */
export interface LanderView {
  readonly position: Point;
  readonly velocity: Point;
  readonly angle: number;
  readonly legs: readonly [left: boolean, right: boolean];
  readonly terrain: readonly Point[];
  /** The last action: a name, or the powers of the engines. */
  readonly action: unknown;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export const landerActions = ["NOTHING", "FIRE_LEFT", "FIRE_MAIN", "FIRE_RIGHT"] as const;
export type LanderAction = (typeof landerActions)[number];

export function readFlight(observation: unknown): LanderView | undefined {
  const { position, velocity, orientation, legs, terrain, action } = fields(observation);
  const { angle } = fields(orientation);
  const { left_contact: left, right_contact: right } = fields(legs);
  const points = Array.isArray(terrain) && terrain.length <= 64 ? terrain.filter(isPoint) : [];
  if (!isPoint(position) || !isPoint(velocity) || typeof angle !== "number" || points.length < 2) return undefined;
  return { position, velocity, angle, legs: [left === true, right === true], terrain: points, action };
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function isPoint(value: unknown): value is Point {
  const { x, y } = fields(value);
  return Number.isFinite(x) && Number.isFinite(y);
}

/** Actions are names, unless the last one was two numbers. */
export function inputFor(action: LanderAction, last: LanderView | undefined): unknown {
  return Array.isArray(last?.action) ? thrusts[action] : action;
}

const thrusts: Readonly<Record<LanderAction, readonly [number, number]>> = {
  NOTHING: [0, 0],
  FIRE_LEFT: [0, -1],
  FIRE_MAIN: [1, 0],
  FIRE_RIGHT: [0, 1],
};

/** The status sentence. */
export function describeFlight({ position, velocity, legs }: LanderView): string {
  const speed = Math.hypot(velocity.x, velocity.y).toFixed(2);
  if (legs[0] && legs[1]) return `Both legs touch the ground. Speed ${speed}.`;
  if (legs[0] || legs[1]) return `The ${legs[0] ? "left" : "right"} leg touches the ground. Speed ${speed}.`;
  return `Height ${position.y.toFixed(2)}, ${Math.abs(position.x).toFixed(2)} ${position.x < 0 ? "left" : "right"} of the pad. Speed ${speed}.`;
}
