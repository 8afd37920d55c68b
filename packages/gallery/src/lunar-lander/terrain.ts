import { edge } from "./physics/edge.ts";
import type { Edge } from "./physics/edge.ts";

/** The size of the world, and the height of the landing pad in its middle. */
export const width = 600 / 30;
export const height = 400 / 30;
export const padHeight = height / 4;

/** Eleven heights from twelve random ones: flat around the pad, smooth elsewhere. */
export function smoothHeights(drawn: readonly number[]): number[] {
  const heights = drawn.map((each, index) => (index >= 3 && index <= 7 ? padHeight : each));
  // The neighbour of the first is the last, as a negative index is in Python.
  const at = (index: number) => heights[(index + heights.length) % heights.length] ?? 0;
  return Array.from({ length: 11 }, (_, index) => 0.33 * (at(index - 1) + at(index) + at(index + 1)));
}

/** The edges that bodies collide with. The first lies below the others. */
export function groundOf(terrain: readonly number[]): readonly Edge[] {
  const points = terrain.map((y, index) => ({ x: 2 * index, y }));
  const slopes = points.slice(1).map((to, index) => edge(points[index] ?? to, to, 0.1));
  return [edge({ x: 0, y: 0 }, { x: width, y: 0 }, 0.2), ...slopes];
}

/** The terrain in the units of observations: the pad is at the origin, and the sides are at -1 and 1. */
export function outlineOf(terrain: readonly number[]): { x: number; y: number }[] {
  return terrain.map((y, index) => ({ x: (2 * index - width / 2) / (width / 2), y: relativeHeight(y) }));
}

/** A height in the units of observations: 0 for a craft that stands on the pad. */
export function relativeHeight(y: number): number {
  return (y - (padHeight + 18 / 30)) / (height / 2);
}
