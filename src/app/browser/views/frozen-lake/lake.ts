/** What can be seen of a lake. */
export interface Lake {
  /** Rows of S, F, H and G. */
  readonly rows: readonly string[];
  readonly position: number;
  /** The move that led here. */
  readonly action: Move | undefined;
}

export type Move = "LEFT" | "DOWN" | "RIGHT" | "UP";

/** Reads an observation: the grid is text for a terminal, in which the player stands on red. */
export function readLake(observation: unknown): Lake | undefined {
  if (typeof observation !== "object" || observation === null) return undefined;
  const { position, grid, action } = observation as Record<string, unknown>;
  if (typeof position !== "number" || typeof grid !== "string") return undefined;
  const rows = grid
    .slice(0, 4000)
    .split("\n")
    .map((line) => line.replaceAll(escapes, ""))
    .filter((line) => /^[SFHG]+$/.test(line));
  const size = rows.length;
  const isLake = size > 0 && size <= 32 && rows.every((row) => row.length === size);
  if (!isLake || !Number.isInteger(position) || position < 0 || position >= size * size) return undefined;
  return { rows, position, action: moveIn(action) };
}

// oxlint-disable-next-line no-control-regex
const escapes = /\u001B\[[0-9;]*m/g;

export function moveIn(value: unknown): Move | undefined {
  return moves.find((move) => move === value);
}

const moves: readonly Move[] = ["LEFT", "DOWN", "RIGHT", "UP"];

export function tileAt({ rows }: Lake, cell: number): string {
  return rows[Math.floor(cell / rows.length)]?.[cell % rows.length] ?? "";
}

/** The move that would lead from the player to a cell, where one does. */
export function moveTo({ rows, position }: Lake, cell: number): Move | undefined {
  const size = rows.length;
  const down = Math.floor(cell / size) - Math.floor(position / size);
  const right = (cell % size) - (position % size);
  if (Math.abs(down) + Math.abs(right) !== 1) return undefined;
  if (down !== 0) return down > 0 ? "DOWN" : "UP";
  return right > 0 ? "RIGHT" : "LEFT";
}

/** Only what can be seen: on the goal or in a hole there is no move left. */
export function isOpen(lake: Lake): boolean {
  return !"GH".includes(tileAt(lake, lake.position));
}

/** What a person is told. */
export function tell(lake: Lake, before: Lake | undefined): string {
  const { rows, position, action } = lake;
  const tile = tileAt(lake, position);
  if (tile === "G") return "You reached the goal.";
  if (tile === "H") return "You fell through the ice.";
  const place = `Row ${Math.floor(position / rows.length) + 1}, column ${(position % rows.length) + 1}.`;
  if (!before || !action) return place;
  if (position === before.position) return `${place} The edge is in the way.`;
  const went = moveTo(before, position);
  return went !== undefined && went !== action ? `${place} You slipped ${went.toLowerCase()}.` : place;
}
