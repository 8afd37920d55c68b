import { argument, command, file, oneOf, option, runs } from "./command/define.ts";
import { writeFile } from "node:fs/promises";
import { evalProtocolLines, openaiLines, preferenceLines } from "../rollout/export/lines.ts";
import { rolloutCsv, rolloutParquet } from "../rollout/export/rollout-table.ts";
import type { ScoredTrace } from "../rollout/score/scorer.ts";
import { inputError, usageError } from "./command/exit-code.ts";
import { chooseRun, openRuns, runDescription, runsStoreArgs } from "./rollout/runs-store.ts";
import { scoredTraces, scoringArgs } from "./rollout/scored-traces.ts";

const formats = {
  jsonl: (scored: readonly ScoredTrace[]) => toLines(evalProtocolLines(scored)),
  openai: (scored: readonly ScoredTrace[]) => toLines(openaiLines(scored)),
  trl: (scored: readonly ScoredTrace[]) => toLines(preferenceLines(scored)),
  csv: rolloutCsv,
  parquet: rolloutParquet,
};

/** `biplane export last --format parquet --out run.parquet` */
export const exportCommand = command("Write the rollouts of a run to a file", {
  args: {
    run: argument(runDescription, { takes: runs, required: true }),
    format: option(
      "jsonl (rows of Eval Protocol), openai (conversations), trl (preference pairs), csv or parquet (a table with a row per rollout)",
      { takes: oneOf(...Object.keys(formats)), default: "jsonl" },
    ),
    out: option("The file to write (default: standard output)", { takes: file }),
    ...scoringArgs,
    ...runsStoreArgs,
  },
  run: async ({ args }) => {
    if (args.format === "parquet" && args.out === undefined && process.stdout.isTTY)
      throw usageError("Parquet is not text. Name a file with --out.");
    await using store = await openRuns(args);
    const run = await chooseRun(store, args.run);
    const scored = await scoredTraces(store, run.id, args.scoring);
    const content = await formats[args.format as keyof typeof formats](scored);
    if (args.out === undefined) process.stdout.write(content);
    else {
      await writeNewFile(args.out, content);
      process.stderr.write(`Wrote ${scored.length} rollouts of ${run.id} to ${args.out}.\n`);
    }
  },
});

async function writeNewFile(file: string, content: string | Uint8Array): Promise<void> {
  try {
    await writeFile(file, content, { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw inputError(`${file} already exists. Choose another file.`);
  }
}

function toLines(lines: readonly object[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}
