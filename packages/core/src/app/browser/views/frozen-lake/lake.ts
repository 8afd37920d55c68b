/** The observation of a lake. */
export interface Lake {
  /** Rows of S, F, H and G. */
  readonly rows: readonly string[];
  readonly position: number;
  /** The last move. */
  readonly action: LakeMove | undefined;
}

export type LakeMove = "LEFT" | "DOWN" | "RIGHT" | "UP";

/** Reads an observation. Its grid marks the player with brackets, or with terminal colors. */
export function readLake(observation: unknown): Lake | undefined {
  if (typeof observation !== "object" || observation === null) return undefined;
  const { position, grid, action } = observation as Record<string, unknown>;
  if (typeof position !== "number" || typeof grid !== "string") return undefined;
  const rows = grid
    .slice(0, 4000)
    .split("\n")
    .map((line) => line.replaceAll(marks, ""))
    .filter((line) => /^[SFHG]+$/.test(line));
  const columns = rows[0]?.length ?? 0;
  const isLake = rows.length > 0 && Math.max(rows.length, columns) <= 32 && rows.every((row) => row.length === columns);
  if (!isLake || !Number.isInteger(position) || position < 0 || position >= rows.length * columns) return undefined;
  return { rows, position, action: moveIn(action) };
}

// oxlint-disable-next-line no-control-regex
const marks = /\u001B\[[0-9;]*m|[[\]]/g;

export function moveIn(value: unknown): LakeMove | undefined {
  return moves.find((move) => move === value);
}

const moves: readonly LakeMove[] = ["LEFT", "DOWN", "RIGHT", "UP"];

export function tileAt({ rows }: Lake, cell: number): string {
  return rows.join("")[cell] ?? "";
}

export function columnsOf({ rows }: Lake): number {
  return rows[0]?.length ?? 0;
}

/** The move from the player to a neighboring cell. */
export function moveTo(lake: Lake, cell: number): LakeMove | undefined {
  const { position } = lake;
  const columns = columnsOf(lake);
  const down = Math.floor(cell / columns) - Math.floor(position / columns);
  const right = (cell % columns) - (position % columns);
  if (Math.abs(down) + Math.abs(right) !== 1) return undefined;
  if (down !== 0) return down > 0 ? "DOWN" : "UP";
  return right > 0 ? "RIGHT" : "LEFT";
}

/** False on the goal and in a hole. */
export function isLakeOpen(lake: Lake): boolean {
  return !"GH".includes(tileAt(lake, lake.position));
}

/** The status sentence. */
export function describeLake(lake: Lake, before: Lake | undefined): string {
  const { position, action } = lake;
  const columns = columnsOf(lake);
  const tile = tileAt(lake, position);
  if (tile === "G") return "You reached the goal.";
  if (tile === "H") return "You fell through the ice.";
  const place = `Row ${Math.floor(position / columns) + 1}, column ${(position % columns) + 1}.`;
  if (!before || !action) return place;
  if (position === before.position) return `${place} The edge is in the way.`;
  const went = moveTo(before, position);
  return went !== undefined && went !== action ? `${place} You slipped ${went.toLowerCase()}.` : place;
}
