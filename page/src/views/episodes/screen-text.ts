import { hasColours, withMarkedCells, withoutColours } from "./ansi.ts";

/** Text art, ready to be drawn. */
interface ScreenText {
  /** A line in parentheses above a board, such as `(Right)`, which says what the last move was. */
  readonly caption: string | undefined;
  /** With ANSI colours for marked cells, guessed letters and pieces. */
  readonly text: string;
  /** Says what letters of the text mean. */
  readonly legend: string | undefined;
}

export function screenTextOf(source: string): ScreenText {
  // Surrounding blank lines would shift the text off centre.
  const whole = source.replace(/^(?:[ \t]*\n)+|\s+$/g, "");
  const [, caption, board] = /^[ \t]*(\([^()\n]{1,40}\))[ \t]*\n([^]+)$/.exec(whole) ?? [];
  const text = board === undefined ? whole : board.replace(/^(?:[ \t]*\n)+/, "");
  const legend = isLake(text) ? lakeLegend(text, caption) : undefined;
  if (hasColours(text)) return { caption, text, legend };
  const guesses = withGuesses(text);
  if (guesses !== undefined) return { caption, text: guesses, legend: guessLegend };
  return { caption, text: piecesIn(text) ? withPieces(text) : withMarkedCells(text), legend };
}

const guessLegend = "G right place, Y wrong place, X not in the word";

function lakeLegend(text: string, caption: string | undefined): string {
  const letters = "S start, F frozen, H hole, G goal";
  if (!hasColours(text) && !text.includes("[")) return letters;
  return `${letters}, boxed the agent${caption === undefined ? "" : `, ${caption} its last move`}`;
}

/** A square of S, F, H and G, of which one cell may be marked. */
function isLake(text: string): boolean {
  const rows = withoutColours(text).replaceAll(/[[\]]/g, "").trim().split("\n");
  return rows.length > 2 && rows.every((row) => /^[SFHG]+$/.test(row) && row.length === rows.length);
}

/** Guessed words, each with a line of G, Y and X below it: the letters get the colour of their mark. */
function withGuesses(text: string): string | undefined {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length === 0 || lines.length % 2 !== 0) return undefined;
  const pairs = Array.from({ length: lines.length / 2 }, (_, at) => [lines[2 * at] ?? "", lines[2 * at + 1] ?? ""]);
  const isGuess = ([word = "", marks = ""]: readonly string[]) =>
    /^[A-Z](?: [A-Z])+$/.test(word.trim()) && /^[GYX](?: [GYX])+$/.test(marks.trim()) && word.length === marks.length;
  if (!pairs.every(isGuess)) return undefined;
  return pairs
    .map(([word = "", marks = ""]) =>
      [
        word.replaceAll(/[A-Z]/g, (letter, at: number) => marked(letter, marks[at] ?? " ")),
        `\u001B[37m${marks}\u001B[0m`, // Less visible than the letters.
      ].join("\n"),
    )
    .join("\n\n");
}

function marked(letter: string, mark: string): string {
  const code = { G: 42, Y: 43, X: 40 }[mark];
  return code === undefined ? letter : `\u001B[${code}m${letter}\u001B[0m`;
}

/** How many pieces each side has on a board of `.`, `X` and `O`. Undefined if a text is something else. */
function piecesIn(text: string): { readonly x: number; readonly o: number } | undefined {
  const rows = text.trim().split("\n");
  const cells = rows.filter((row) => /^\s*[.XO](?: [.XO])+\s*$/.test(row));
  const others = rows.filter((row) => !cells.includes(row));
  // A row of column numbers may be above or below.
  if (cells.length < 3 || others.some((row) => !/^[\d\s]*$/.test(row))) return undefined;
  const number = (piece: string) => cells.join("").split(piece).length - 1;
  return { x: number("X"), o: number("O") };
}

function withPieces(text: string): string {
  return text.replaceAll("X", "\u001B[1;34mX\u001B[0m").replaceAll("O", "\u001B[1;33mO\u001B[0m");
}

/** The side that moves next on a board of `X` and `O`, of which `X` began. */
export function sideToMove(text: string): "X" | "O" | undefined {
  const pieces = piecesIn(text);
  if (!pieces || pieces.x < pieces.o || pieces.x > pieces.o + 1) return undefined;
  return pieces.x === pieces.o ? "X" : "O";
}

/** The numbers of the columns, if a board has them in its last row. */
export function columnNumbers(text: string): readonly string[] {
  const last = text.trimEnd().split("\n").at(-1)?.trim() ?? "";
  return /^\d(?: \d)+$/.test(last) ? last.split(" ") : [];
}
