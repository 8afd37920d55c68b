import { isOpen, townSize } from "./town.ts";
import type { Place } from "./town.ts";

export type Direction = "SOUTH" | "NORTH" | "EAST" | "WEST";

/** Where a drive from a place may end: where it should, and in the rain to either side as well, but not before a wall. */
export function drive(from: Place, direction: Direction, { isRainy }: { isRainy: boolean }): readonly Place[] {
  const isBlocked = (direction === "WEST" && !isOpen(from, "west")) || (direction === "EAST" && !isOpen(from, "east"));
  const wanted = isBlocked ? from : ahead(from, direction);
  if (!isRainy) return [wanted];
  return isBlocked ? [from, from, from] : [wanted, ...slides(from, direction)];
}

/**
 * A slide fails where gymnasium says so: when the place it leads to has a wall on the side that is looked at, even
 * if the taxi would not cross that wall.
 */
function slides(from: Place, direction: Direction): readonly [Place, Place] {
  const [first, second] = sides[direction];
  const [left, right] = [ahead(from, first), ahead(from, second)];
  return [isOpen(left, "east") ? left : from, isOpen(right, "west") ? right : from];
}

const sides = {
  SOUTH: ["WEST", "EAST"],
  NORTH: ["WEST", "EAST"],
  EAST: ["SOUTH", "NORTH"],
  WEST: ["SOUTH", "NORTH"],
} as const;

/** The next place, walls or not, but still in town. */
function ahead({ row, column }: Place, direction: Direction): Place {
  switch (direction) {
    case "SOUTH":
      return { row: Math.min(row + 1, townSize - 1), column };
    case "NORTH":
      return { row: Math.max(row - 1, 0), column };
    case "EAST":
      return { row, column: Math.min(column + 1, townSize - 1) };
    case "WEST":
      return { row, column: Math.max(column - 1, 0) };
  }
}
