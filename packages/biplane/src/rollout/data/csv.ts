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

async function* csvLines(text: AsyncIterable<string>, separator: string): AsyncGenerator<CsvLine> {
  const parser = new CsvParser(separator);
  for await (const piece of text) yield* parser.push(piece);
  yield* parser.end();
}

interface CsvLine {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Keeps the unfinished record between pieces. */
class CsvParser {
  readonly #separator: string;
  /** Everything up to the next character with a meaning, outside of quotes. */
  readonly #plain: RegExp;
  #cells: string[] = [];
  #cell = "";
  #length = 0;
  #state: "open" | "quoted" | "closed" = "open";
  #line = 1;
  #began = 1;
  #isAfterReturn = false;

  constructor(separator: string) {
    this.#separator = separator;
    this.#plain = new RegExp(`[^${separator}"\r\n]*`, "y");
  }

  *push(text: string): Generator<CsvLine> {
    let at = 0;
    while (at < text.length) {
      const part = this.#state === "quoted" ? untilQuote(text, at) : this.#match(text, at);
      this.#add(part);
      at += part.length;
      const sign = text[at++];
      if (sign !== undefined) yield* this.#take(sign);
    }
  }

  *end(): Generator<CsvLine> {
    if (this.#state === "quoted") throw rowError('A cell that begins with " has no closing ".', { line: this.#began });
    yield* this.#endRecord();
  }

  #match(text: string, at: number): string {
    this.#plain.lastIndex = at;
    return this.#plain.exec(text)?.[0] ?? "";
  }

  #add(part: string): void {
    if (part === "") return;
    this.#isAfterReturn = false;
    if (this.#state === "closed") throw rowError(`Text follows the closing " of a cell.`, { line: this.#line });
    this.#length += part.length;
    if (this.#length > maxRecordLength) throw recordTooLong(this.#began);
    if (this.#state === "quoted") this.#line += part.split("\n").length - 1;
    this.#cell += part;
  }

  /** Handles a quote, a separator or the end of a line. */
  *#take(sign: string): Generator<CsvLine> {
    const isSecond = sign === "\n" && this.#isAfterReturn;
    this.#isAfterReturn = sign === "\r";
    if (isSecond) return;
    if (sign === '"') this.#takeQuote();
    else if (sign === this.#separator) this.#endCell();
    else {
      yield* this.#endRecord();
      this.#began = ++this.#line;
    }
  }

  #takeQuote(): void {
    if (this.#state === "quoted") this.#state = "closed";
    else if (this.#state === "closed") {
      this.#cell += '"'; // "" within quotes is one quote
      this.#state = "quoted";
    } else if (this.#cell === "") this.#state = "quoted";
    else this.#cell += '"';
  }

  #endCell(): void {
    this.#cells.push(this.#cell);
    this.#cell = "";
    this.#state = "open";
  }

  *#endRecord(): Generator<CsvLine> {
    const isBlank = this.#cells.length === 0 && this.#cell === "" && this.#state === "open";
    this.#endCell();
    if (!isBlank) yield { line: this.#began, cells: this.#cells };
    this.#cells = [];
    this.#length = 0;
  }
}

function untilQuote(text: string, at: number): string {
  const end = text.indexOf('"', at);
  return text.slice(at, end < 0 ? undefined : end);
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
