import { parseRow } from "../row.ts";
import type { Row } from "../row.ts";
import { csvRecords } from "./csv.ts";
import { datasetFiles } from "./dataset-files.ts";
import type { RowFile } from "./dataset-files.ts";
import { inFile } from "./row-error.ts";
import type { RowPlace } from "./row-error.ts";
import { tableRecords } from "./table-records.ts";
import type { TableLimits } from "./table-records.ts";
import { tableRow } from "./table-row.ts";
import { linesOf, textOf } from "./text-records.ts";

export interface ReadRowsOptions extends TableLimits {
  /** How many rows to read at most. The rest of the file is not read. */
  readonly limit?: number | undefined;
  /** The split of a dataset folder. Needed if it has several. */
  readonly split?: string | undefined;
}

/**
 * Reads rows from a JSONL, CSV, TSV, Parquet or Arrow file, or from a dataset folder. An invalid row throws with its
 * place in the file.
 */
export async function readRows(path: string, options: ReadRowsOptions = {}): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of streamRows(path, options)) rows.push(row);
  return rows;
}

/** Like `readRows`, but holds only a part of the file: a row of text, or a row group or batch of a table. */
export async function* streamRows(path: string, options: ReadRowsOptions = {}): AsyncGenerator<Row> {
  let left = options.limit ?? Infinity;
  if (left <= 0) return;
  for (const source of await datasetFiles(path, options.split)) {
    for await (const row of rowsIn(source, left, options)) {
      yield row;
      if (--left <= 0) return;
    }
  }
}

async function* rowsIn(source: RowFile, limit: number, limits: TableLimits): AsyncGenerator<Row> {
  let place: RowPlace = {};
  try {
    for await (const record of recordsIn(source, limit, limits)) {
      place = record.place;
      yield record.read();
      place = {};
    }
  } catch (error) {
    throw inFile(error, source.file, place);
  }
}

interface PlacedRecord {
  readonly place: RowPlace;
  readonly read: () => Row;
}

async function* recordsIn({ file, format }: RowFile, limit: number, limits: TableLimits): AsyncGenerator<PlacedRecord> {
  if (format === "jsonl") {
    for await (const { line, content } of linesOf(textOf(file)))
      if (content.trim() !== "") yield { place: { line }, read: () => parseRow(content) };
  } else if (format === "csv" || format === "tsv") {
    for await (const { line, cells } of csvRecords(textOf(file), format === "tsv" ? "\t" : ","))
      yield { place: { line }, read: () => tableRow(cells) };
  } else {
    let row = 0;
    for await (const record of tableRecords({ file, format, limit }, limits))
      yield { place: { row: row++ }, read: () => tableRow(record) };
  }
}
