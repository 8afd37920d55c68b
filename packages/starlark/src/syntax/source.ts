import { StarlarkError, type Location } from "../errors.ts";

/** The text of one file. Positions in the syntax tree are offsets; lines are computed on demand. */
export class Source {
  readonly file: string;
  readonly text: string;
  #lineStarts: number[] | undefined;

  constructor(file: string, text: string) {
    this.file = file;
    this.text = text.includes("\r") ? text.replaceAll(/\r\n?/g, "\n") : text;
  }

  locate(offset: number): Location {
    const starts = (this.#lineStarts ??= findLineStarts(this.text));
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    const column = countCharacters(this.text, starts[low] ?? 0, offset) + 1;
    return { file: this.file, line: low + 1, column };
  }

  /** The line of a location with a caret below its column, both shortened around the caret when very long. */
  excerpt({ line, column }: Location): string | undefined {
    const starts = (this.#lineStarts ??= findLineStarts(this.text));
    const start = starts[line - 1];
    if (start === undefined) return undefined;
    const end = this.text.indexOf("\n", start);
    const characters = Array.from(
      this.text.slice(start, end < 0 ? undefined : end).slice(0, column * 2 + widestExcerpt),
    );
    const from = Math.max(0, column - widestExcerpt / 2);
    const shown = characters.slice(from, from + widestExcerpt);
    const indent = shown.slice(0, column - 1 - from).map((character) => (character === "\t" ? "\t" : " "));
    return `    ${shown.join("")}\n    ${indent.join("")}^`;
  }

  error(offset: number, reason: string): StarlarkError {
    const location = this.locate(offset);
    return new StarlarkError("syntax", reason, {
      location,
      excerpt: this.excerpt(location),
      problems: [{ reason, location }],
    });
  }
}

const widestExcerpt = 120;

function findLineStarts(text: string): number[] {
  const starts = [0];
  for (let index = text.indexOf("\n"); index >= 0; index = text.indexOf("\n", index + 1)) starts.push(index + 1);
  return starts;
}

function countCharacters(text: string, start: number, end: number): number {
  let count = 0;
  for (let index = start; index < end; index++) {
    const isLowSurrogate = (text.charCodeAt(index) & 0xfc00) === 0xdc00;
    if (!isLowSurrogate) count++;
  }
  return count;
}
