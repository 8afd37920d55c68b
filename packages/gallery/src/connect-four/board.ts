/** Rows from the top; 0 is empty, 1 and -1 are the players. */
export type Board = Cell[][];
type Cell = 0 | Side;
export type Side = 1 | -1;

const rows = 6;
export const columns = 7;

export function emptyBoard(): Board {
  return Array.from({ length: rows }, () => Array.from({ length: columns }, (): Cell => 0));
}

/** Columns that are not full. */
export function openColumns(board: Board): number[] {
  return Array.from({ length: columns }, (_, column) => column).filter((column) => board[0]?.[column] === 0);
}

/** Drops a piece. Returns its row, or undefined if the column is full. */
export function drop(board: Board, column: number, player: Side): number | undefined {
  const row = board.findLastIndex((cells) => cells[column] === 0);
  const cells = board[row];
  if (!cells) return undefined;
  cells[column] = player;
  return row;
}

/** Whether the piece at this cell is part of four in a row. */
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
