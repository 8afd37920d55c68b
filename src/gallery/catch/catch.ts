import { environment } from "../../environment/environment.ts";
import type { Environment } from "../../environment/environment.ts";

/** Catch a falling ball with a paddle: OpenSpiel's catch, with actions and observations as OpenEnv wraps them. */
export function catchBall(): Environment {
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
          game.paddle = Math.min(Math.max(game.paddle + Number(action) - 1, 0), columns - 1);
          return draw(game); // the observation of OpenSpiel tells the ending, which is not for the agent
        },
      }),
    }),
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

/** Whose turn it is when nobody's is, in OpenSpiel. */
const terminalPlayer = -4;

function isOver({ ballRow }: Game): boolean {
  return ballRow >= rows - 1;
}

/** The cells row by row: 1 where the ball or the paddle is. */
function tensor({ ballRow, ballColumn, paddle }: Game): number[] {
  const taken = [ballRow * columns + ballColumn, (rows - 1) * columns + paddle];
  return Array.from({ length: rows * columns }, (_, cell) => (taken.includes(cell) ? 1 : 0));
}

/** The game as OpenSpiel prints it; the paddle hides a ball that it has caught. */
function draw({ ballRow, ballColumn, paddle }: Game): string {
  const cell = (row: number, column: number) => {
    if (row === rows - 1 && column === paddle) return "x";
    return row === ballRow && column === ballColumn ? "o" : ".";
  };
  const line = (row: number) => Array.from({ length: columns }, (_, column) => cell(row, column)).join("");
  return Array.from({ length: rows }, (_, row) => line(row)).join("\n");
}
