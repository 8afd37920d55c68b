/** A piece of rendered text and its colour. */
interface DrawnPiece {
  readonly text: string;
  /** A class of the page, so that every colour is readable. */
  readonly class: string;
}

/**
 * Parses ANSI colours only. Other escapes stay in the text and become visible marks. No colour can hide text, because
 * each background sets its own text colour.
 */
export function drawnPieces(text: string): readonly DrawnPiece[] {
  const pieces: DrawnPiece[] = [];
  let style = plain;
  let from = 0;
  for (const match of text.matchAll(colour)) {
    if (match.index > from) pieces.push({ text: text.slice(from, match.index), class: classOf(style) });
    style = styled(style, match[1] ?? "");
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), class: classOf(style) });
  return pieces;
}

/** True if a text has ANSI colours. */
export function hasColours(text: string): boolean {
  return text.includes("\u001B[") && text.search(colour) >= 0;
}

/** The text with coloured parts in brackets, where colours cannot be drawn. */
export function bracketed(text: string): string {
  if (!hasColours(text)) return text;
  return drawnPieces(text)
    .map((piece) => (piece.class === "" ? piece.text : `[${piece.text}]`))
    .join("");
}

/**
 * Marks a cell of a board with a colour instead of brackets, which would shift the cells after it: `F[F]FH` becomes four
 * cells. Other text stays as it is.
 */
export function withMarkedCells(text: string): string {
  if (hasColours(text) || !bracketedCell.test(text)) return text;
  const rows = text.split("\n").filter((line) => line.trim() !== "" && !/^\s*\(.*\)\s*$/.test(line));
  const widths = new Set(rows.map((row) => row.replaceAll(bracketedCells, "$1").trimEnd().length));
  return rows.length > 1 && widths.size === 1 ? text.replaceAll(bracketedCells, "\u001B[41m$1\u001B[0m") : text;
}

const bracketedCell = /\[[^\s[\]]\]/;
const bracketedCells = /\[([^\s[\]])\]/g;

/** The text without ANSI colours. */
export function withoutColours(text: string): string {
  return text.replaceAll(colour, "");
}

// oxlint-disable-next-line no-control-regex
const colour = /\u001B\[([\d;]{0,40})m/g;

interface Style {
  readonly front: string | undefined;
  readonly back: string | undefined;
  readonly isBold: boolean;
}

const plain: Style = { front: undefined, back: undefined, isBold: false };

/** Black, red, green, yellow, blue, magenta, cyan, white. */
const tones = ["plain", "bad", "good", "warn", "accent", "info", "accent", "plain"] as const;

function styled(style: Style, codes: string): Style {
  let next = style;
  for (const code of codes.split(";").map(Number)) {
    if (code === 0) next = plain;
    else if (code === 1) next = { ...next, isBold: true };
    else if (code === 22) next = { ...next, isBold: false };
    else if (code === 7) next = { ...next, back: next.front ?? "plain" };
    else if (code === 39) next = { ...next, front: undefined };
    else if (code === 49 || code === 27) next = { ...next, back: undefined };
    else if (isWithin(code, 30) || isWithin(code, 90)) next = { ...next, front: tones[code % 10] };
    else if (isWithin(code, 40) || isWithin(code, 100)) next = { ...next, back: tones[code % 10] };
    else if (code === 38 || code === 48) return { ...next, [code === 38 ? "front" : "back"]: paletteTone(codes) };
  }
  return next;
}

/** The nearest tone of an extended colour, such as `38;5;196` or `48;2;255;0;0`. */
function paletteTone(codes: string): string {
  const [, kind, ...values] = codes
    .slice(codes.search(/[34]8;/))
    .split(";")
    .map(Number);
  const [first = 0, green = 0, blue = 0] = values;
  if (kind === 2) return toneOfRgb([first, green, blue]);
  if (first < 16) return tones[first % 8] ?? "plain";
  if (first > 231) return "plain"; // greys
  const cube = first - 16;
  return toneOfRgb([Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6]);
}

/** Bits of red, green and blue, as in the eight basic colours. */
function toneOfRgb(parts: readonly [number, number, number]): string {
  const half = Math.max(...parts) * 0.6;
  const bits = parts.reduce((sum, part, at) => sum + (part > half ? 2 ** at : 0), 0);
  return tones[bits] ?? "plain";
}

function isWithin(code: number, from: number): boolean {
  return code >= from && code <= from + 7;
}

function classOf({ front, back, isBold }: Style): string {
  const colour =
    back !== undefined ? `screen-back tone-${back}` : front !== undefined ? `screen-front tone-${front}` : "";
  return isBold ? `${colour} strong`.trim() : colour;
}
