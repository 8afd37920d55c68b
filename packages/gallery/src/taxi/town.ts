/** A position in town, 0-based. */
export interface TaxiPosition {
  readonly row: number;
  readonly column: number;
}

/** `|` is a wall between two streets; `:` is open. */
export const townMap = [
  "+---------+",
  "|R: | : :G|",
  "| : | : : |",
  "| : : : : |",
  "| | : | : |",
  "|Y| : |B: |",
  "+---------+",
] as const;

/** The pickup and drop-off locations. */
export const stands = [
  { letter: "R", color: "Red", row: 0, column: 0 },
  { letter: "G", color: "Green", row: 0, column: 4 },
  { letter: "Y", color: "Yellow", row: 4, column: 0 },
  { letter: "B", color: "Blue", row: 4, column: 3 },
] as const;

/** The passenger index that means "in the taxi". */
export const inTaxi = stands.length;

/** The number of rows, and of columns. */
export const townSize = 5;

/** The index of the stand at a position, if there is one. */
export function standAt({ row, column }: TaxiPosition): number | undefined {
  const found = stands.findIndex((stand) => stand.row === row && stand.column === column);
  return found === -1 ? undefined : found;
}

/** Whether the street is open to the west or east of a position. */
export function isStreetOpen(position: TaxiPosition, side: "west" | "east"): boolean {
  const { row, column } = cellOf(position);
  return townMap[row]?.[column + (side === "west" ? -1 : 1)] === ":";
}

/** The row and column of a position in `townMap`. */
export function cellOf({ row, column }: TaxiPosition): TaxiPosition {
  return { row: row + 1, column: 2 * column + 1 };
}
