import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { BiplaneError } from "@biplane/core";
import { startWorker } from "../../start-worker.ts";
import type { WorkerEntry } from "../../start-worker.ts";
import { rowError } from "./row-error.ts";
import type { RowPlace } from "./row-error.ts";

export interface TableJob {
  readonly file: string;
  readonly format: "parquet" | "arrow";
  /** How many records are needed at most. */
  readonly limit: number;
}

export interface TableLimits {
  /** Time limit for each batch of up to 1,000 records, in milliseconds (default: 60 000). */
  readonly timeoutMs?: number | undefined;
  /** Memory limit for decoded records, in megabytes (default: 2048). */
  readonly memoryMb?: number | undefined;
}

/** A batch of records, of which an empty one is the last, or what is wrong with the file. */
export type TableReport =
  | { readonly records: readonly Fields[] }
  | { readonly fault: string; readonly place: RowPlace };

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the records of a Parquet or Arrow file. A worker thread decodes it, because a damaged file can make the decoder
 * loop or fill the memory.
 */
export async function* tableRecords(job: TableJob, limits: TableLimits = {}): AsyncGenerator<Fields> {
  const { timeoutMs = 60_000, memoryMb = 2048 } = limits;
  const worker = startWorker(entry, {
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    stdout: true,
    stderr: true,
    env: {},
  });
  try {
    for (;;) {
      worker.postMessage("next", []);
      const report = await reportOf(worker, { timeoutMs, memoryMb });
      if ("fault" in report) throw rowError(report.fault, report.place);
      if (report.records.length === 0) return;
      yield* report.records;
    }
  } finally {
    await worker.terminate();
  }
}

const entry: WorkerEntry = { name: "table", source: new URL("./table-worker.ts", import.meta.url) };

async function reportOf(worker: Worker, limits: { timeoutMs: number; memoryMb: number }): Promise<TableReport> {
  try {
    const [report] = (await once(worker, "message", { signal: AbortSignal.timeout(limits.timeoutMs) })) as [
      TableReport,
    ];
    return report;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reasons: Readonly<Record<string, string>> = {
      ABORT_ERR: `its decoding takes longer than ${limits.timeoutMs / 1000} s`,
      ERR_WORKER_OUT_OF_MEMORY: `its decoding needs more than ${limits.memoryMb} MB of memory`,
    };
    const reason = reasons[code ?? ""] ?? message;
    throw new BiplaneError(
      "INVALID_INPUT",
      `The file seems to be damaged: ${reason}. Write it again, or convert it to JSONL.`,
      { cause: error },
    );
  }
}
