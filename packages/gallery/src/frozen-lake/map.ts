import { BiplaneError } from "@biplane/core";
import type { Random } from "@biplane/core/internal";

/** A random map with a path from start to goal. Each cell is a hole with probability 0.2. */
export function drawMap(size: number, random: Random): string[] {
  for (;;) {
    const cells = random.choice(["F", "H"], { size: size * size, p: [0.8, 1 - 0.8] });
    cells[0] = "S";
    cells[cells.length - 1] = "G";
    const rows = Array.from({ length: size }, (_, row) => cells.slice(row * size, (row + 1) * size).join(""));
    if (hasPath(rows)) return rows;
  }
}

function hasPath(rows: readonly string[]): boolean {
  const size = rows.length;
  const seen = new Set([0]);
  const open = [0];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const [row, column] = [Math.floor(at / size), at % size];
    for (const [down, right] of [
      [0, 1],
      [1, 0],
      [0, -1],
      [-1, 0],
    ] as const) {
      const [nextRow, nextColumn] = [row + down, column + right];
      const cell = rows[nextRow]?.[nextColumn];
      if (cell === "G") return true;
      const next = nextRow * size + nextColumn;
      if (cell === undefined || cell === "H" || seen.has(next)) continue;
      seen.add(next);
      open.push(next);
    }
  }
  return false;
}

/** Gymnasium's own maps. */
export const namedMaps: Readonly<Record<string, readonly string[]>> = {
  "4x4": ["SFFF", "FHFH", "FFFH", "HFFG"],
  "8x8": ["SFFFFFFF", "FFFFFFFF", "FFFHFFFF", "FFFFFHFF", "FFFHFFFF", "FHHFFFHF", "FHFFHFHF", "FFFHFFFG"],
};

/** Checks a map that a caller drew. */
export function checkMap(rows: readonly string[]): readonly string[] {
  const isEven = rows.every((row) => row.length === rows[0]?.length);
  if (!isEven) throw new BiplaneError("INVALID_INPUT", `The rows of desc differ in length: ${rows.join(", ")}.`);
  if (rows.some((row) => row.includes("S"))) return rows;
  throw new BiplaneError("INVALID_INPUT", `desc has no start. Mark one with S, as in "SFFG", not ${rows.join(", ")}.`);
}
