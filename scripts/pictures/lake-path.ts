import type { Chance } from "./chance.ts";

/** A move on the lake that an observation shows: the next one of a shortest way to the goal, or a careless one. */
export function lakeMove(observation: unknown, isGood: boolean, chance: Chance): { move: string; why: string } {
  const { grid, position } = readLake(observation);
  const size = grid.length;
  const way = isGood ? shortestWay(grid, position) : undefined;
  const move = way?.[0] ?? chance.one(names);
  const place = `I am in row ${Math.floor(position / size) + 1}, column ${(position % size) + 1}.`;
  const left = way === undefined ? "" : ` ${way.length === 1 ? "One move is" : `${way.length} moves are`} left.`;
  return { move, why: `${place} The next step is ${move.toLowerCase()}.${left}` };
}

const steps = { LEFT: [0, -1], DOWN: [1, 0], RIGHT: [0, 1], UP: [-1, 0] } as const;
const names = Object.keys(steps) as (keyof typeof steps)[];

/** The rows of the map without marks, and where the player is. */
function readLake(observation: unknown): { readonly grid: readonly string[]; readonly position: number } {
  const { grid = "", position = 0 } = (observation ?? {}) as { grid?: string; position?: number };
  const rows = grid.split("\n").map((row) => row.replaceAll(/[^SFHG]/g, ""));
  return { grid: rows.filter((row) => row.length >= 4), position };
}

/** Breadth first. Undefined if there is no way. */
function shortestWay(grid: readonly string[], from: number): readonly string[] | undefined {
  const size = grid.length;
  const tile = (at: number) => grid[Math.floor(at / size)]?.[at % size];
  const ways = new Map<number, readonly string[]>([[from, []]]);
  for (const [at, way] of ways) {
    if (tile(at) === "G") return way;
    for (const name of names) {
      const [down, right] = steps[name];
      const [row, column] = [Math.floor(at / size) + down, (at % size) + right];
      const next = row * size + column;
      const isInside = row >= 0 && row < size && column >= 0 && column < size;
      if (isInside && tile(next) !== "H" && !ways.has(next)) ways.set(next, [...way, name]);
    }
  }
  return undefined;
}
