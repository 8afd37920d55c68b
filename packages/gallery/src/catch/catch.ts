import { environment } from "@biplane/core";
import { within } from "../grid-step.ts";

/** Catch a falling ball with a paddle: OpenSpiel's catch, with OpenEnv's actions and observations. */
export function catchBall() {
  return environment({
    name: "catch",
    version: "1.0.0",
    description: "Move the paddle x on the bottom row to where the ball o will fall.",
    start: ({ random }): Game => ({
      ballRow: 0,
      ballColumn: random.integers(columns),
      paddle: Math.floor(columns / 2),
    }),
    observe: (game) => ({
      info_state: tensor(game),
      legal_actions: isOver(game) ? [] : [0, 1, 2],
      game_phase: isOver(game) ? "terminal" : game.ballRow === 0 ? "initial" : "playing",
      current_player_id: isOver(game) ? terminalPlayer : 0,
      opponent_last_action: null,
    }),
    action: "paddle_move",
    tools: (tool) => ({
      paddle_move: tool({
        description: "Move the paddle while the ball falls one row: 0 left, 1 stay, 2 right",
        input: {
          type: "object",
          properties: {
            action_id: { enum: [0, 1, 2] },
            game_name: { enum: ["catch"] },
            game_params: { type: "object", properties: { rows: { const: rows }, columns: { const: columns } } },
          },
          required: ["action_id"],
        },
        run: ({ action_id: action }, { state: game }) => {
          game.ballRow++;
          game.paddle = within(game.paddle + action - 1, columns);
          return draw(game); // OpenSpiel's observation reveals the ending, which agents must not see.
        },
      }),
    }),
    rewardRange: [-1, 1],
    reward: ({ after }) => (isOver(after) ? (after.ballColumn === after.paddle ? 1 : -1) : 0),
    status: (game) => ({ terminated: isOver(game) }),
    publicState: () => ({
      game_name: "catch",
      agent_player: 0,
      opponent_policy: "random",
      game_params: {},
      num_players: 1,
    }),
    render: draw,
  });
}

interface Game {
  ballRow: number;
  readonly ballColumn: number;
  paddle: number;
}

const rows = 10;
const columns = 5;

/** OpenSpiel's player id for a finished game. */
const terminalPlayer = -4;

function isOver({ ballRow }: Game): boolean {
  return ballRow >= rows - 1;
}

/** Row-major cells: 1 for the ball and the paddle. */
function tensor({ ballRow, ballColumn, paddle }: Game): number[] {
  const taken = [ballRow * columns + ballColumn, (rows - 1) * columns + paddle];
  return Array.from({ length: rows * columns }, (_, cell) => (taken.includes(cell) ? 1 : 0));
}

/** OpenSpiel's rendering; the paddle hides a caught ball. */
function draw({ ballRow, ballColumn, paddle }: Game): string {
  const cell = (row: number, column: number) => {
    if (row === rows - 1 && column === paddle) return "x";
    return row === ballRow && column === ballColumn ? "o" : ".";
  };
  const line = (row: number) => Array.from({ length: columns }, (_, column) => cell(row, column)).join("");
  return Array.from({ length: rows }, (_, row) => line(row)).join("\n");
}
