import { rowError } from "./row-error.ts";
import { maxRecordLength, recordTooLong } from "./text-records.ts";

/** A record of a CSV file, by the names in its first line. Cells are text. Empty cells are left out. */
export interface CsvRecord {
  readonly line: number;
  readonly cells: Readonly<Record<string, string>>;
}

/** Reads delimited text (RFC 4180). The first record is the header. */
export async function* csvRecords(text: AsyncIterable<string>, separator = ","): AsyncGenerator<CsvRecord> {
  let header: readonly string[] | undefined;
  for await (const { line, cells } of csvLines(text, separator)) {
    if (!header) header = readHeader(cells, line);
    else yield { line, cells: named(cells, header, line) };
  }
}

interface CsvLine {
  readonly line: number;
  readonly cells: readonly string[];
}

/** The records of a text, of which each begins at a line. The unfinished one is kept between pieces. */
async function* csvLines(text: AsyncIterable<string>, separator: string): AsyncGenerator<CsvLine> {
  const tokens = new RegExp(`\r\n?|["\n${separator}]|[^"\r\n${separator}]+`, "g");
  let [line, began, length] = [1, 1, 0];
  let cells: string[] = [];
  let cell = "";
  let state: "open" | "quoted" | "closed" = "open";
  const add = (part: string) => {
    if (state === "closed") throw rowError(`Text follows the closing " of a cell.`, { line });
    length += part.length;
    if (length > maxRecordLength) throw recordTooLong(began);
    cell += part;
  };
  const endCell = () => {
    cells.push(cell);
    cell = "";
    state = "open";
  };
  const endRecord = (): CsvLine[] => {
    const isBlank = cells.length === 0 && cell === "" && state === "open";
    endCell();
    const ended = isBlank ? [] : [{ line: began, cells }];
    cells = [];
    length = 0;
    return ended;
  };
  for await (const piece of wholeLineEnds(text)) {
    for (const [token] of piece.matchAll(tokens)) {
      if (token === '"') {
        const isText = state === "closed" || (state === "open" && cell !== ""); // "" within quotes is one quote
        if (isText) cell += '"';
        if (state !== "open" || cell === "") state = state === "quoted" ? "closed" : "quoted";
      } else if (state === "quoted") {
        add(token);
        if (token.includes("\n")) line++;
      } else if (token === separator) endCell();
      else if (/^[\r\n]/.test(token)) {
        yield* endRecord();
        began = ++line;
      } else add(token);
    }
  }
  if (state === "quoted") throw rowError('A cell that begins with " has no closing ".', { line: began });
  yield* endRecord();
}

/** The same text in pieces of which none ends within a line end. */
async function* wholeLineEnds(text: AsyncIterable<string>): AsyncGenerator<string> {
  let held = "";
  for await (const piece of text) {
    const whole = held + piece;
    held = whole.endsWith("\r") ? "\r" : "";
    yield whole.slice(0, whole.length - held.length);
  }
  yield held;
}

function readHeader(cells: readonly string[], line: number): readonly string[] {
  const names = cells.map((cell) => cell.trim());
  const again = names.find((name, at) => names.indexOf(name) !== at);
  if (again !== undefined) throw rowError(`Two columns are named ${JSON.stringify(again)}.`, { line });
  return names;
}

function named(cells: readonly string[], header: readonly string[], line: number): Record<string, string> {
  if (cells.length !== header.length)
    throw rowError(`The record has ${cells.length} cells, but the header has ${header.length}.`, { line });
  const filled = header.map((name, at) => [name, cells[at] ?? ""] as const).filter(([, cell]) => cell !== "");
  return Object.fromEntries(filled);
}
