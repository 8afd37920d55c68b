import { environment } from "@biplane/core";
import { within } from "../grid-step.ts";

/** Walk across a 5×5 grid. OpenEnv's grid_world: x increases downwards, y to the right. */
export function gridWorld() {
  return environment({
    name: "grid-world",
    version: "1.0.0",
    description: "Walk from [0, 0] to the goal at [4, 4] in as few moves as possible.",
    start: (): Walk => ({ x: 0, y: 0, message: "Welcome to Grid World! Goal is at [4, 4]." }),
    observe: ({ x, y, message }) => ({ x, y, message }),
    action: "grid_move",
    tools: (tool) => ({
      grid_move: tool({
        description: "Move one cell; at the edge you stay in place",
        input: { type: "object", properties: { action: { enum: Object.keys(moves) } }, required: ["action"] },
        run: ({ action }, { state: walk }) => {
          const [down, right] = moves[action as keyof typeof moves];
          walk.x = within(walk.x + down, size);
          walk.y = within(walk.y + right, size);
          walk.message = isAtGoal(walk) ? "You found the goal!" : "Keep going...";
        },
      }),
    }),
    rewardRange: [-0.1, 1],
    reward: ({ after }) => (isAtGoal(after) ? 1 : -0.1),
    status: (walk) => ({ terminated: isAtGoal(walk) }),
    render: draw,
  });
}

interface Walk {
  x: number;
  y: number;
  message: string;
}

const size = 5;
const moves = { UP: [-1, 0], DOWN: [1, 0], LEFT: [0, -1], RIGHT: [0, 1] } as const;

function isAtGoal({ x, y }: Walk): boolean {
  return x === size - 1 && y === size - 1;
}

function draw({ x, y }: Walk): string {
  const cells = Array.from({ length: size }, () => Array.from({ length: size }, () => "."));
  cells[size - 1]?.splice(size - 1, 1, "G");
  cells[x]?.splice(y, 1, "A");
  return cells.map((row) => row.join(" ")).join("\n");
}
