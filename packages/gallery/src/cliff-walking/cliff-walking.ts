import { environment } from "@biplane/core";
import type { Random } from "@biplane/core/internal";
import { gridStep } from "../grid-step.ts";
import type { GridMove } from "../grid-step.ts";

/** Walk along a cliff from one end to the other without falling off. Gymnasium's CliffWalking-v1. */
export function cliffWalking() {
  return environment({
    name: "cliff-walking",
    version: "1.0.0",
    description:
      "Walk from the lower left corner to the target T in the lower right corner. Falling off the cliff C returns you to the start.",
    config: {
      type: "object",
      properties: { is_slippery: { type: "boolean" }, max_steps: { type: "integer", minimum: 1 } },
    },
    start: ({ random }): Walk => {
      random.categorical([1]); // Gymnasium draws the start position, although there is only one.
      return { position: startCell, hasFallen: false, chance: 1 };
    },
    observe: (walk) => ({ position: walk.position, grid: draw(walk) }),
    tools: (tool) => ({
      cliff_move: tool({
        description: "Move one step along the cliff",
        input: { type: "object", properties: { action: { enum: moves } }, required: ["action"] },
        run: ({ action }, { state: walk, config, random }) => {
          move(walk, action, { random, isSlippery: config["is_slippery"] === true });
          return { position: walk.position, grid: draw(walk), action };
        },
      }),
    }),
    rewardRange: [-100, -1],
    reward: ({ after }) => (after.hasFallen ? -100 : -1),
    status: ({ position }, { stepCount, config }) => ({
      terminated: position === targetCell,
      truncated: stepCount >= Number(config["max_steps"] ?? Infinity),
    }),
    info: (walk) => ({ prob: walk.chance }),
    render: draw,
  });
}

interface Walk {
  /** Cell index, row by row. */
  position: number;
  /** Whether the last move fell off the cliff. */
  hasFallen: boolean;
  /** Probability of the last move's direction. */
  chance: number;
}

const moves = ["UP", "RIGHT", "DOWN", "LEFT"] as const;

const rows = 4;
const columns = 12;
const startCell = (rows - 1) * columns;
const targetCell = rows * columns - 1;

/** On slippery cells, the move goes as intended or to either side, with equal probability. */
function move(walk: Walk, action: GridMove, { random, isSlippery }: { random: Random; isSlippery: boolean }): void {
  const wanted = moves.indexOf(action);
  const possible = isSlippery ? [(wanted + 3) % 4, wanted, (wanted + 1) % 4] : [wanted];
  const chance = 1 / possible.length;
  const taken = possible[random.categorical(possible.map(() => chance))] ?? wanted;
  const reached = gridStep(walk.position, moves[taken] ?? action, { rows, columns });
  walk.hasFallen = isCliff(reached);
  walk.position = walk.hasFallen ? startCell : reached;
  walk.chance = chance;
}

function isCliff(position: number): boolean {
  return position > startCell && position < targetCell;
}

/** Gymnasium's rendering: `x` is the walker; ends with an empty line. */
function draw({ position }: Walk): string {
  const symbol = (cell: number) => {
    if (cell === position) return "x";
    if (cell === targetCell) return "T";
    return isCliff(cell) ? "C" : "o";
  };
  const lines = Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_, column) => symbol(row * columns + column)).join("  "),
  );
  return `${lines.join("\n")}\n\n`;
}
