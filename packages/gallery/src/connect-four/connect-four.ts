import { builtInApp } from "@biplane/core/apps/builtin";
import { environment } from "@biplane/core";
import { columns, drop, emptyBoard, isInFour, openColumns } from "./board.ts";
import type { Board, Side } from "./board.ts";

/**
 * Connect four on a 6×7 board. As in OpenEnv's connect4, the caller plays both sides, beginning with 1. A winning move
 * earns 1. A move into a full column costs 1 and ends the game.
 */
export function connectFour() {
  return environment({
    name: "connect-four",
    version: "1.0.0",
    description: "Drop pieces in turn, for both sides; the first four in a row win.",
    start: (): Game => ({ board: emptyBoard(), nextPlayer: 1, result: "open" }),
    observe: ({ board }) => ({ board, legal_actions: openColumns(board) }),
    action: "piece_drop",
    tools: (tool) => ({
      piece_drop: tool({
        description: "Drop a piece of the side whose turn it is",
        input: {
          type: "object",
          properties: { column: { type: "integer", minimum: 0, maximum: columns - 1, description: "From the left" } },
          required: ["column"],
        },
        ui: builtInApp("connect-four"),
        run: ({ column }, { state: game }) => {
          game.result = play(game, column);
          game.nextPlayer = game.nextPlayer === 1 ? -1 : 1;
        },
      }),
    }),
    rewardRange: [-1, 1],
    reward: ({ after }) => rewards[after.result],
    status: ({ result }) => ({ terminated: result !== "open" }),
    publicState: ({ board, nextPlayer }) => ({ board, next_player: nextPlayer }),
    render: ({ board }) =>
      [...board.map((row) => row.map((cell) => pieces[cell]).join(" ")), "0 1 2 3 4 5 6"].join("\n"),
  });
}

interface Game {
  readonly board: Board;
  nextPlayer: Side;
  result: keyof typeof rewards;
}

const rewards = { open: 0, won: 1, drawn: 0, illegal: -1 };
const pieces = { 0: ".", 1: "X", [-1]: "O" } as const;

function play({ board, nextPlayer }: Game, column: number): Game["result"] {
  const row = drop(board, column, nextPlayer);
  if (row === undefined) return "illegal";
  if (isInFour(board, row, column)) return "won";
  return openColumns(board).length === 0 ? "drawn" : "open";
}
