import { isOpen, townSize } from "./town.ts";
import type { Place } from "./town.ts";

export type Direction = "SOUTH" | "NORTH" | "EAST" | "WEST";

/** Where a taxi comes when it drives on from a place. Walls stand between west and east only, and at the edge of town. */
export function drive(place: Place, direction: Direction): Place {
  if (direction === "WEST" && !isOpen(place, "west")) return place;
  if (direction === "EAST" && !isOpen(place, "east")) return place;
  return ahead(place, direction);
}

/**
 * In the rain a taxi may slide to one side or the other of its direction. As in gymnasium, a taxi before a wall does
 * not slide, and a slide fails when the place it leads to has a wall on the side that is looked at, even if the taxi
 * would not cross that wall.
 */
export function slides(place: Place, direction: Direction): readonly [Place, Place] {
  const isBlocked = (direction === "WEST" || direction === "EAST") && drive(place, direction) === place;
  if (isBlocked) return [place, place];
  const [first, second] = sides[direction];
  const [left, right] = [ahead(place, first), ahead(place, second)];
  return [isOpen(left, "east") ? left : place, isOpen(right, "west") ? right : place];
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
