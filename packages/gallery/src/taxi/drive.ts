import { within } from "../grid-step.ts";
import { isStreetOpen, townSize } from "./town.ts";
import type { TaxiPosition } from "./town.ts";

export type Direction = "SOUTH" | "NORTH" | "EAST" | "WEST";

/** Where a drive may end, and how probably. */
export interface DriveEnd {
  readonly position: TaxiPosition;
  readonly chance: number;
}

/** The rain of Taxi-v4, or of Taxi-v3. Both may slide the taxi to either side. */
export type Rain = { readonly version: 4; readonly probability: number } | { readonly version: 3 };

/** The possible ends of a drive: one in dry weather, three in the rain. */
export function drive(from: TaxiPosition, direction: Direction, rain: Rain | undefined): readonly DriveEnd[] {
  if (!rain) return [{ position: isOpen(from, direction) ? ahead(from, direction) : from, chance: 1 }];
  const [wanted, left, right] = rain.version === 4 ? rainyEnds(from, direction) : rainyEndsOfTaxi3(from, direction);
  // Written as gymnasium computes them: (1 - 0.8) / 2 is a little less than 0.1.
  const [intended, aside] = rain.version === 4 ? [rain.probability, (1 - rain.probability) / 2] : [0.8, 0.1];
  return [
    { position: wanted, chance: intended },
    { position: left, chance: aside },
    { position: right, chance: aside },
  ];
}

type RainyEnds = readonly [wanted: TaxiPosition, left: TaxiPosition, right: TaxiPosition];

/** A taxi that cannot drive ahead does not slide either. */
function rainyEnds(from: TaxiPosition, direction: Direction): RainyEnds {
  if (!isOpen(from, direction)) return [from, from, from];
  const [left, right] = sides[direction];
  const slide = (side: Direction) => (isOpen(from, side) ? ahead(from, side) : from);
  return [ahead(from, direction), slide(left), slide(right)];
}

const sides = {
  SOUTH: ["EAST", "WEST"],
  NORTH: ["WEST", "EAST"],
  EAST: ["NORTH", "SOUTH"],
  WEST: ["SOUTH", "NORTH"],
} as const;

/**
 * Taxi-v3 tests the wall at the slide's target, on the side it looks at, even if the taxi would not cross it. At the
 * northern and southern edge it slides although it cannot drive ahead.
 */
function rainyEndsOfTaxi3(from: TaxiPosition, direction: Direction): RainyEnds {
  const isVertical = direction === "SOUTH" || direction === "NORTH";
  if (!isVertical && !isOpen(from, direction)) return [from, from, from];
  const [first, second] = isVertical ? (["WEST", "EAST"] as const) : (["SOUTH", "NORTH"] as const);
  const [left, right] = [ahead(from, first), ahead(from, second)];
  return [ahead(from, direction), isStreetOpen(left, "east") ? left : from, isStreetOpen(right, "west") ? right : from];
}

/** Whether nothing blocks a drive. */
export function isOpen(from: TaxiPosition, direction: Direction): boolean {
  switch (direction) {
    case "SOUTH":
      return from.row < townSize - 1;
    case "NORTH":
      return from.row > 0;
    case "EAST":
      return isStreetOpen(from, "east");
    case "WEST":
      return isStreetOpen(from, "west");
  }
}

/** The next position, ignoring walls but within town. */
function ahead({ row, column }: TaxiPosition, direction: Direction): TaxiPosition {
  const [down, right] = steps[direction];
  return { row: within(row + down, townSize), column: within(column + right, townSize) };
}

const steps = { SOUTH: [1, 0], NORTH: [-1, 0], EAST: [0, 1], WEST: [0, -1] } as const;
