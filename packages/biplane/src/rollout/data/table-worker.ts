import { parentPort, workerData } from "node:worker_threads";
import { messageOf } from "@biplane/core/internal";
import { arrowRecords } from "./arrow.ts";
import { parquetRecords } from "./parquet.ts";
import { plainValue } from "./plain-value.ts";
import type { RowPlace } from "./row-error.ts";
import type { TableJob, TableReport } from "./table-records.ts";

/** Worker entry. Decodes a table in a thread that can be terminated; sends a batch each time it is asked. */
const batches = batchesOf(workerData as TableJob);
parentPort?.on("message", () => void batches.next().then(({ value }) => send(value ?? { records: [] })));

async function* batchesOf({ file, format, limit }: TableJob): AsyncGenerator<TableReport> {
  let records: Fields[] = [];
  let row = 0;
  let place: RowPlace = {};
  try {
    for await (const record of format === "parquet" ? parquetRecords(file, limit) : arrowRecords(file)) {
      const plain: Record<string, unknown> = {};
      for (const [column, value] of Object.entries(record)) {
        place = { row, column };
        plain[column] = plainValue(value);
      }
      place = {};
      row++;
      if (records.push(plain) < batchSize) continue;
      yield { records };
      records = [];
    }
    if (records.length > 0) yield { records };
  } catch (error) {
    yield { fault: messageOf(error), place };
  }
}

type Fields = Readonly<Record<string, unknown>>;

const batchSize = 1000;

function send(report: TableReport): void {
  parentPort?.postMessage(report, []);
}
