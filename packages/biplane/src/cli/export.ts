import { writeFile } from "node:fs/promises";
import {
  annotationLines,
  evalProtocolLines,
  fineTuningLines,
  openaiLines,
  preferenceLines,
} from "../rollout/export/lines.ts";
import { jsonLines } from "../rollout/export/new-folder.ts";
import { rolloutCsv, rolloutParquet } from "../rollout/export/rollout-table.ts";
import { writeTrackerFolder } from "../rollout/export/tracker-folder.ts";
import type { Tracker } from "../rollout/export/tracker-folder.ts";
import { ktoLines, sftLines, tokenLines } from "../rollout/export/training-lines.ts";
import type { ScoredTrace } from "../rollout/score/scorer.ts";
import type { SummaryOptions } from "../rollout/score/summary.ts";
import { argument, command, file, oneOf, option, runs } from "./command/define.ts";
import { inputError, usageError } from "./command/exit-code.ts";
import { chooseRun, openRuns, runDescription, runsStoreArgs } from "./rollout/runs-store.ts";
import { scoredTraces, scoringArgs } from "./rollout/scored-traces.ts";

type WriteFormat = (
  scored: readonly ScoredTrace[],
  options: SummaryOptions,
) => string | Uint8Array | Promise<string | Uint8Array>;

const formats: Readonly<Record<string, WriteFormat>> = {
  jsonl: (scored) => jsonLines(evalProtocolLines(scored)),
  openai: (scored) => jsonLines(openaiLines(scored)),
  "openai-fine-tuning": (scored, options) => jsonLines(fineTuningLines(scored, options)),
  trl: (scored) => jsonLines(preferenceLines(scored)),
  "trl-sft": (scored, options) => jsonLines(sftLines(scored, options)),
  "trl-kto": (scored, options) => jsonLines(ktoLines(scored, options)),
  "trl-tokens": (scored) => jsonLines(someTokens(tokenLines(scored))),
  annotations: (scored) => jsonLines(annotationLines(scored)),
  csv: rolloutCsv,
  parquet: rolloutParquet,
};
const trackers: readonly Tracker[] = ["wandb", "mlflow"];

/** `biplane export last --format parquet --out run.parquet` */
export const exportCommand = command("Write the rollouts of a run to a file", {
  args: {
    run: argument(runDescription, { takes: runs, required: true }),
    format: option(
      "jsonl (rows of Eval Protocol); openai or openai-fine-tuning (conversations); trl (preference pairs), trl-sft, trl-kto or trl-tokens; annotations (what people wrote on the page); csv or parquet (a table with a row per rollout); wandb or mlflow (a folder with a script)",
      { takes: oneOf(...Object.keys(formats), ...trackers), default: "jsonl" },
    ),
    out: option("The file or folder to write (default: standard output)", { takes: file }),
    ...scoringArgs,
    ...runsStoreArgs,
  },
  run: async ({ args }) => {
    const tracker = trackers.find((each) => each === args.format);
    if (args.format === "parquet" && args.out === undefined && process.stdout.isTTY)
      throw usageError("Parquet is not text. Name a file with --out.");
    if (tracker && args.out === undefined) throw usageError(`--format ${tracker} writes a folder. Name it with --out.`);
    await using store = await openRuns(args);
    const run = await chooseRun(store, args.run);
    const scored = await scoredTraces(store, run.id, args.scoring);
    const wrote = `Wrote ${scored.length} rollouts of ${run.id} to ${args.out}.`;
    if (tracker) {
      const script = await writeTrackerFolder(args.out as string, { tracker, run, scored });
      process.stderr.write(`${wrote} Log them with: python ${args.out}/${script}\n`);
      return;
    }
    // A limit of rewards says nothing about the scores of a scorer.
    const pass = args.scoring === undefined ? run.pass : undefined;
    const content = await (formats[args.format] as WriteFormat)(scored, { pass });
    if (args.out === undefined) process.stdout.write(content);
    else {
      await writeNewFile(args.out, content);
      process.stderr.write(`${wrote}\n`);
    }
  },
});

function someTokens<Line>(lines: readonly Line[]): readonly Line[] {
  if (lines.length > 0) return lines;
  throw inputError(
    "No rollout has token ids. Play with --token-ids and a model server that gives them, such as vLLM or SGLang.",
  );
}

async function writeNewFile(path: string, content: string | Uint8Array): Promise<void> {
  try {
    await writeFile(path, content, { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw inputError(`${path} already exists. Choose another file.`);
  }
}
