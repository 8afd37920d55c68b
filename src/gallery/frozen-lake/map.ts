import type { Random } from "../../environment/random/random.ts";

/** A random map of a size, with a way from the start to the goal: row by row, one cell in five is a hole. */
export function drawMap(size: number, random: Random): string[] {
  for (;;) {
    const cells = random.choice(["F", "H"], { size: size * size, p: [0.8, 1 - 0.8] });
    cells[0] = "S";
    cells[cells.length - 1] = "G";
    const rows = Array.from({ length: size }, (_, row) => cells.slice(row * size, (row + 1) * size).join(""));
    if (hasWay(rows)) return rows;
  }
}

function hasWay(rows: readonly string[]): boolean {
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
