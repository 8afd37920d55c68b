/** The observation of a game. Rows start at the top; 0 is empty, 1 and -1 are the players. */
export interface ConnectFourGame {
  readonly board: readonly (readonly number[])[];
  /** The columns that are not full. */
  readonly legal: readonly number[];
}

export const sideNames: Readonly<Record<string, string>> = { 1: "Red", [-1]: "Yellow" };
const [rows, columns] = [6, 7];

export function readGame(observation: unknown): ConnectFourGame | undefined {
  if (typeof observation !== "object" || observation === null) return undefined;
  const { board, legal_actions: legal } = observation as Record<string, unknown>;
  const isRow = (row: unknown) => Array.isArray(row) && row.length === columns && row.every(isCell);
  if (!Array.isArray(board) || board.length !== rows || !board.every(isRow) || !Array.isArray(legal)) return undefined;
  const isColumn = (column: unknown) =>
    Number.isInteger(column) && (column as number) >= 0 && (column as number) < columns;
  return { board: board as number[][], legal: legal.filter(isColumn) as number[] };
}

function isCell(cell: unknown): boolean {
  return cell === 0 || cell === 1 || cell === -1;
}

/** Whose turn it is. Players alternate, so the number of pieces tells. */
export function nextSide({ board }: ConnectFourGame): 1 | -1 {
  return board.flat().reduce((sum, cell) => sum + cell, 0) === 0 ? 1 : -1;
}

/** The cells of every line of four, as `row,column`. */
export function winningCells({ board }: ConnectFourGame): ReadonlySet<string> {
  const found = new Set<string>();
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      for (const [down, right] of directions) {
        const cells = [0, 1, 2, 3].map((step) => [row + down * step, column + right * step] as const);
        const side = board[row]?.[column];
        if (side && cells.every(([r, c]) => board[r]?.[c] === side)) for (const cell of cells) found.add(cell.join());
      }
  return found;
}

const directions = [
  [0, 1],
  [1, 0],
  [1, 1],
  [1, -1],
] as const;

export function isGameOpen(game: ConnectFourGame): boolean {
  return game.legal.length > 0 && winningCells(game).size === 0;
}

/** The status sentence. */
export function describeGame(game: ConnectFourGame): string {
  const [cell] = winningCells(game);
  if (cell !== undefined) {
    const [row = 0, column = 0] = cell.split(",").map(Number);
    return `${sideNames[game.board[row]?.[column] ?? 1]} has four in a row.`;
  }
  return game.legal.length === 0 ? "The board is full." : `${sideNames[nextSide(game)]} is next.`;
}

/** The board as text, for the model. */
export function letters({ board }: ConnectFourGame): string {
  return board.map((row) => row.map((cell) => (cell === 0 ? "." : cell === 1 ? "X" : "O")).join("")).join("/");
}
