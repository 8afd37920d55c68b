/** Rows from the top; 0 is empty, 1 and -1 are the players. */
export type Board = Cell[][];
type Cell = 0 | Player;
export type Player = 1 | -1;

const rows = 6;
export const columns = 7;

export function emptyBoard(): Board {
  return Array.from({ length: rows }, () => Array.from({ length: columns }, (): Cell => 0));
}

/** The columns that still have room. */
export function openColumns(board: Board): number[] {
  return Array.from({ length: columns }, (_, column) => column).filter((column) => board[0]?.[column] === 0);
}

/** Lets a piece fall. Returns the row it comes to lie in, or undefined where the column is full. */
export function drop(board: Board, column: number, player: Player): number | undefined {
  const row = board.findLastIndex((cells) => cells[column] === 0);
  const cells = board[row];
  if (!cells) return undefined;
  cells[column] = player;
  return row;
}

/** Whether the piece that lies here is one of four in a line. */
export function isInFour(board: Board, row: number, column: number): boolean {
  const player = board[row]?.[column];
  const reach = (down: number, right: number): number => {
    let count = 0;
    while (count < 3 && board[row + down * (count + 1)]?.[column + right * (count + 1)] === player) count++;
    return count;
  };
  return directions.some(([down, right]) => reach(down, right) + 1 + reach(-down, -right) >= 4);
}

const directions = [
  [1, 0],
  [0, 1],
  [1, 1],
  [1, -1],
] as const;
