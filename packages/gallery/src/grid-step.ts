/** Steps on a grid: rows down, columns to the right. */
const steps = { UP: [-1, 0], RIGHT: [0, 1], DOWN: [1, 0], LEFT: [0, -1] } as const;

export type GridMove = keyof typeof steps;

/** The cell after a step; cells are numbered row by row. At the edge, a step leads nowhere. */
export function gridStep(cell: number, move: GridMove, { rows, columns }: { rows: number; columns: number }): number {
  const [down, right] = steps[move];
  const row = within(Math.floor(cell / columns) + down, rows);
  return row * columns + within((cell % columns) + right, columns);
}

/** The nearest number from 0 to `size` - 1. */
export function within(position: number, size: number): number {
  return Math.min(Math.max(position, 0), size - 1);
}
