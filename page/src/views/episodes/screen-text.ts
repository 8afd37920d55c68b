import { drawnPieces, hasColours, withMarkedCells, withoutColours } from "./ansi.ts";

/** A cell of a board. */
export interface Cell {
  readonly text: string;
  readonly class: string;
  /** What the colour says, for screen readers. */
  readonly about?: string;
}

/** Text art, ready to be drawn. */
interface ScreenText {
  /** The last move, from a line in parentheses above a board, such as `(Right)`. */
  readonly caption: string | undefined;
  /** With ANSI colours for marked cells. */
  readonly text: string;
  /** The rows of a known board, which are drawn instead of the text. */
  readonly rows: readonly (readonly Cell[])[] | undefined;
  /** Says what the cells mean. */
  readonly legend: readonly (readonly [cell: Cell, meaning: string])[];
}

export function screenTextOf(source: string): ScreenText {
  // Surrounding blank lines would shift the text off centre.
  const whole = source.replace(/^(?:[ \t]*\n)+|\s+$/g, "");
  const [, caption, board] = /^[ \t]*(\([^()\n]{1,40}\))[ \t]*\n([^]+)$/.exec(whole) ?? [];
  const bare = board === undefined ? whole : board.replace(/^(?:[ \t]*\n)+/, "");
  const text = withMarkedCells(bare);
  if (bare.length > maxBoard) return { caption, text, rows: undefined, legend: [] };
  if (isLake(text)) {
    const rows = lakeRows(text);
    const hasAgent = rows.flat().some((cell) => cell.class === agentOn("").class);
    const move = caption === undefined ? undefined : `Last move: ${caption.slice(1, -1)}`;
    return { caption: move, text, rows, legend: hasAgent ? [...lakeLegend, agentLegend] : lakeLegend };
  }
  if (hasColours(bare)) return { caption, text, rows: undefined, legend: [] };
  const guesses = guessRows(bare);
  if (guesses !== undefined) return { caption: caption?.slice(1, -1), text, rows: guesses, legend: guessLegend };
  return { caption, text, rows: piecesIn(bare) && pieceRows(bare), legend: [] };
}

/** A board has an element for each cell. Of longer texts, only the beginning is drawn at first. */
const maxBoard = 4000;

/** A square of S, F, H and G, of which one cell may be marked. */
function isLake(text: string): boolean {
  const rows = withoutColours(text).trim().split("\n");
  return rows.length > 2 && rows.every((row) => /^[SFHG]+$/.test(row) && row.length === rows.length);
}

function lakeRows(text: string): readonly (readonly Cell[])[] {
  const rows: Cell[][] = [[]];
  for (const piece of drawnPieces(text.trim()))
    for (const letter of piece.text)
      if (letter === "\n") rows.push([]);
      else rows.at(-1)?.push(piece.class === "" ? (lakeCells[letter] ?? plainCell(letter)) : agentOn(letter));
  return rows;
}

const lakeCells: Readonly<Record<string, Cell>> = {
  H: { text: "H", class: "cell-toned tone-bad" },
  G: { text: "G", class: "cell-toned tone-good" },
};

function plainCell(text: string): Cell {
  return { text, class: "" };
}

function agentOn(letter: string): Cell {
  return { text: letter, class: "cell-agent", about: "agent" };
}

const lakeLegend: ScreenText["legend"] = [
  [plainCell("S"), "start"],
  [plainCell("F"), "frozen"],
  [{ text: "H", class: "cell-toned tone-bad" }, "hole"],
  [{ text: "G", class: "cell-toned tone-good" }, "goal"],
];
const agentLegend: ScreenText["legend"][number] = [{ text: "", class: "cell-agent" }, "agent"];

/** Guessed words, each with a line of G, Y and X below it: the letters get the colour of their mark. */
function guessRows(text: string): readonly (readonly Cell[])[] | undefined {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length === 0 || lines.length % 2 !== 0) return undefined;
  const pairs = Array.from({ length: lines.length / 2 }, (_, at) => [lines[2 * at] ?? "", lines[2 * at + 1] ?? ""]);
  const isGuess = ([word = "", marks = ""]: readonly string[]) =>
    /^[A-Z](?: [A-Z])+$/.test(word.trim()) && /^[GYX](?: [GYX])+$/.test(marks.trim()) && word.length === marks.length;
  if (!pairs.every(isGuess)) return undefined;
  return pairs.map(([word = "", marks = ""]) =>
    Array.from(word.trim()).flatMap((letter, at) => (letter === " " ? [] : [guessed(letter, marks.trim()[at] ?? "")])),
  );
}

function guessed(letter: string, mark: string): Cell {
  const [tone, about] = marked[mark] ?? ["", ""];
  return { text: letter, class: tone, about };
}

const marked: Readonly<Record<string, readonly [tone: string, about: string]>> = {
  G: ["cell-toned tone-good", "right place"],
  Y: ["cell-toned cell-near tone-warn", "wrong place"],
  X: ["cell-out", "not in the word"],
};

const guessLegend: ScreenText["legend"] = Object.values(marked).map(([tone, about]) => [
  { text: "", class: tone },
  about,
]);

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

function pieceRows(text: string): readonly (readonly Cell[])[] {
  const rows = text.split("\n").filter((row) => row.trim() !== "");
  return rows.map((row) => row.trim().split(/ +/).map(pieceCell));
}

function pieceCell(text: string): Cell {
  if (/^\d/.test(text)) return { text, class: "cell-label" };
  if (text === ".") return { text, class: "cell-piece cell-empty" };
  return { text, class: `cell-piece cell-toned tone-${toneOfSide(text)}` };
}

/** The colour of a side: `X` is blue, `O` is yellow. */
export function toneOfSide(side: string): "accent" | "warn" {
  return side === "X" ? "accent" : "warn";
}

/** The side that played a step, if every step so far put one piece on a board. */
export function sideOfStep(options: {
  readonly text: string;
  readonly stepCount: number;
  readonly step: number;
}): "X" | "O" | undefined {
  const pieces = piecesIn(options.text);
  if (!pieces || pieces.x + pieces.o !== options.stepCount || sideToMove(options.text) === undefined) return undefined;
  return options.step % 2 === 1 ? "X" : "O";
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
