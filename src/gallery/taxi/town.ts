/** A place in town, row and column counted from 0. */
export interface Place {
  readonly row: number;
  readonly column: number;
}

/** Streets with walls `|` between some of them; a colon can be driven through. */
export const map = [
  "+---------+",
  "|R: | : :G|",
  "| : | : : |",
  "| : : : : |",
  "| | : | : |",
  "|Y| : |B: |",
  "+---------+",
] as const;

/** Where passengers wait and want to go. */
export const stands = [
  { letter: "R", color: "Red", row: 0, column: 0 },
  { letter: "G", color: "Green", row: 0, column: 4 },
  { letter: "Y", color: "Yellow", row: 4, column: 0 },
  { letter: "B", color: "Blue", row: 4, column: 3 },
] as const;

/** The number of the passenger's place that means: in the taxi. */
export const inTaxi = stands.length;

/** The number of rows, and of columns. */
export const townSize = 5;

/** The number of the stand at a place; undefined where there is none. */
export function standAt({ row, column }: Place): number | undefined {
  const found = stands.findIndex((stand) => stand.row === row && stand.column === column);
  return found === -1 ? undefined : found;
}

/** Whether the street is open to the west or the east of a place. */
export function isOpen(place: Place, side: "west" | "east"): boolean {
  const { row, column } = cellOf(place);
  return map[row]?.[column + (side === "west" ? -1 : 1)] === ":";
}

/** Where on the map a place is. */
export function cellOf({ row, column }: Place): Place {
  return { row: row + 1, column: 2 * column + 1 };
}
