import { builtInApp } from "../../app/built-in.ts";
import { environment } from "../../environment/environment.ts";
import type { Environment } from "../../environment/environment.ts";
import type { Random } from "../../environment/random/random.ts";
import { restoreRandom } from "../../environment/random/random.ts";
import { drawMap } from "./map.ts";

/** Cross a frozen lake from S to G without falling into a hole. Gymnasium's FrozenLake-v1: same seed, same lake. */
export function frozenLake(): Environment {
  return environment({
    name: "frozen-lake",
    version: "1.0.0",
    description: "Cross a frozen lake from S to G without falling into a hole H.",
    config: {
      type: "object",
      properties: {
        map_name: { enum: ["4x4", "8x8"] },
        is_slippery: { type: "boolean" },
        max_steps: { type: "integer", minimum: 1 },
      },
    },
    start: ({ config, random }): Lake => {
      const size = config["map_name"] === "8x8" ? 8 : 4;
      const map = drawMap(size, restoreRandom(random.save())); // the map's draws are not the walk's
      random.categorical([1]); // gymnasium draws the place to start from, although there is only one
      return {
        map,
        position: 0,
        lastMove: undefined,
        chance: 1,
        isSlippery: config["is_slippery"] === true,
        maxSteps: Number(config["max_steps"] ?? (size === 8 ? 200 : 100)),
      };
    },
    observe: (lake) => ({ position: lake.position, grid: draw(lake) }),
    tools: (tool) => ({
      lake_move: tool({
        description: "Move one step on the frozen lake",
        input: { type: "object", properties: { action: { enum: moves } }, required: ["action"] },
        ui: builtInApp("frozen-lake"),
        run: ({ action }, { state: lake, random }) => {
          move(lake, action as Move, random);
          return { position: lake.position, grid: draw(lake), action };
        },
      }),
    }),
    reward: ({ after }) => (tile(after) === "G" ? 1 : 0),
    status: (lake, { stepCount }) => ({
      terminated: tile(lake) === "G" || tile(lake) === "H",
      truncated: stepCount >= lake.maxSteps,
    }),
    info: (lake) => ({ prob: lake.chance }),
    render: draw,
  });
}

interface Lake {
  readonly map: readonly string[];
  readonly isSlippery: boolean;
  readonly maxSteps: number;
  position: number;
  lastMove: Move | undefined;
  /** How likely the last move was to end where it did. */
  chance: number;
}

type Move = (typeof moves)[number];
const moves = ["LEFT", "DOWN", "RIGHT", "UP"] as const;

/** On slippery ice each move goes where it should, or to either side, with the same chance. */
function move(lake: Lake, action: Move, random: Random): void {
  const wanted = moves.indexOf(action);
  const possible = lake.isSlippery ? [(wanted + 3) % 4, wanted, (wanted + 1) % 4] : [wanted];
  const chance = 1 / possible.length;
  const taken = possible[random.categorical(possible.map(() => chance))] ?? wanted;
  lake.position = step(lake, moves[taken] ?? action);
  lake.chance = chance;
  lake.lastMove = action;
}

function step({ map, position }: Lake, direction: Move): number {
  const size = map.length;
  const [row, column] = [Math.floor(position / size), position % size];
  switch (direction) {
    case "LEFT":
      return row * size + Math.max(column - 1, 0);
    case "DOWN":
      return Math.min(row + 1, size - 1) * size + column;
    case "RIGHT":
      return row * size + Math.min(column + 1, size - 1);
    case "UP":
      return Math.max(row - 1, 0) * size + column;
  }
}

function tile({ map, position }: Lake): string {
  return map[Math.floor(position / map.length)]?.[position % map.length] ?? "";
}

/** The lake as gymnasium prints it, the player on red. */
function draw(lake: Lake): string {
  const { map, position, lastMove } = lake;
  const cells = map.flatMap((row) => Array.from(row));
  cells[position] = `\u001B[41m${cells[position]}\u001B[0m`;
  const rows = map.map((_, row) => cells.slice(row * map.length, (row + 1) * map.length).join(""));
  const title = lastMove ? `  (${lastMove.charAt(0)}${lastMove.slice(1).toLowerCase()})` : "";
  return `${title}\n${rows.join("\n")}\n`;
}
