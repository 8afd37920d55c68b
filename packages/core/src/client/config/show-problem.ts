/** Offsets into a text; `to` is exclusive. */
export type Range = readonly [from: number, to: number];

export interface SourceText {
  /** File name as the user wrote it. */
  readonly name: string;
  readonly text: string;
  /** Ranges to mask. */
  readonly hidden: readonly Range[];
}

export interface Position {
  /** 1-based, like `column`. */
  readonly line: number;
  readonly column: number;
}

/** Formats `biplane.yaml:12:5: problem`, the source line and a marker under the range. */
export function showAt(source: SourceText, [from, to]: Range, sentence: string): string {
  const { line, column } = positionOf(source.text, from);
  const start = from - column + 1;
  const end = endOfLine(source.text, start);
  const left = Math.max(0, column - maxWidth);
  const shown = hide(source, start, end).slice(left, left + 2 * maxWidth);
  const length = Math.max(1, Math.min(to, end, from + maxWidth) - from);
  const indent = shown.slice(0, column - 1 - left).replaceAll(/[^\t]/g, " ");
  return `${source.name}:${line}:${column}: ${sentence}\n    ${shown}\n    ${indent}${"^".repeat(length)}`;
}

export function positionOf(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  const lastBreak = before.lastIndexOf("\n");
  return { line: before.split("\n").length, column: offset - lastBreak };
}

const maxWidth = 80;

function endOfLine(text: string, start: number): number {
  const end = text.indexOf("\n", start);
  const line = text.slice(start, end === -1 ? undefined : end);
  return start + line.replace(/\r$/, "").length;
}

/** The source line with masked ranges and without control characters. */
function hide({ text, hidden }: SourceText, start: number, end: number): string {
  let line = text.slice(start, end);
  for (const [from, to] of hidden) {
    const [first, last] = [Math.max(from, start) - start, Math.min(to, end) - start];
    if (first < last) line = line.slice(0, first) + "•".repeat(last - first) + line.slice(last);
  }
  return line.replaceAll(/[^\P{C}\t]/gu, "�");
}
