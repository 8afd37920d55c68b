import { ownName } from "@biplane/core/internal";
import { figuresOf } from "../store/runs/run-figures.ts";
import { deleteRun, findRun, newRunId, saveRun } from "../store/runs/run.ts";
import type { Run, StoredRun } from "../store/runs/run.ts";
import type { SqlStore } from "../store/sql-store.ts";
import { TraceWriter } from "../store/runs/trace-writer.ts";
import { readInspectLog, textIn } from "../trainers/inspect-log/read-log.ts";
import type { InspectLog } from "../trainers/inspect-log/read-log.ts";
import { sampleEvents } from "../trainers/inspect-log/sample-trace.ts";
import { argument, command, file, option } from "./command/define.ts";
import { inputError } from "./command/exit-code.ts";
import { openRuns, runsStoreArgs } from "./rollout/runs-store.ts";

/** `biplane import log.eval`: what another evaluator played, as a run. */
export const importCommand = command("Store a log of Inspect AI as a run, for show, compare, score and export", {
  args: {
    file: argument("The log: a .eval or .json file", { takes: file, required: true }),
    name: option("A name for the run (default: the task's)"),
    score: option("The score to use as the reward: a scorer, or scorer.key (default: the first)"),
    ...runsStoreArgs,
  },
  run: async ({ args }) => {
    const log = await readInspectLog(args.file);
    await using store = await openRuns(args);
    const run = await storeLog(store, log, args);
    process.stdout.write(
      `Imported ${run.ended} samples of ${log.task} as ${run.id}. See them: biplane show ${run.id}\n`,
    );
  },
});

interface ImportOptions {
  readonly file: string;
  readonly name?: string | undefined;
  readonly score?: string | undefined;
}

/** A log that cannot be read to its end leaves no run. */
async function storeLog(store: SqlStore, log: InspectLog, options: ImportOptions): Promise<StoredRun> {
  const run = runOf(log, options);
  await saveRun(store, run);
  try {
    const rows = await storeSamples(store, log, { ...options, run: run.id });
    if (rows === 0) throw inputError(`${options.file} has no samples.`);
    const status = log.isComplete ? "finished" : "cancelled";
    await saveRun(store, { ...run, rows, status, endedAt: new Date().toISOString() });
  } catch (error) {
    await deleteRun(store, run.id);
    throw error;
  }
  await figuresOf(store, await findRun(store, run.id));
  return findRun(store, run.id);
}

/** Returns the number of rows: samples with different ids. */
async function storeSamples(
  store: SqlStore,
  log: InspectLog,
  { run, score }: ImportOptions & { readonly run: string },
): Promise<number> {
  const writer = new TraceWriter({ store, run });
  const rows = new Map<string, number>();
  for (const sample of log.samples) {
    const id = textIn(sample["id"]);
    const index = rows.get(id) ?? rows.size;
    rows.set(id, index);
    for (const event of sampleEvents(sample, { log, run, index, score })) writer.write(event);
    await writer.flush();
  }
  return rows.size;
}

function runOf(log: InspectLog, { name = log.task, file: source }: ImportOptions): Run {
  return {
    id: newRunId(new Date(log.created)),
    name,
    status: "running",
    startedAt: log.created,
    endedAt: undefined,
    target: log.task,
    agent: "inspect-ai",
    model: log.model,
    rows: 0,
    repetitions: log.epochs,
    steps: 0,
    concurrency: 1,
    version: ownName().version,
    pid: process.pid,
    tags: ["inspect-ai"],
    settings: { imported: source },
  };
}
