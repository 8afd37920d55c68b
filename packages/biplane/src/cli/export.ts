import { writeFile } from "node:fs/promises";
import { defineCommand } from "citty";
import { BiplaneError } from "@biplane/core";
import { evalProtocolLines, openaiLines, preferenceLines } from "../rollout/export/lines.ts";
import { rolloutRecord, rolloutCsv, rolloutParquet } from "../rollout/export/rollout-table.ts";
import type { ScoredTrace } from "../rollout/score/scorer.ts";
import { usageError } from "./command/exit-code.ts";
import { chooseRun, openRuns, runDescription, runsStoreArgs } from "./rollout/runs-store.ts";
import { scoredTraces, scoringArgs } from "./rollout/scored-traces.ts";

const formats: Readonly<Record<string, (scored: readonly ScoredTrace[]) => string | Promise<Uint8Array>>> = {
  jsonl: (scored) => toLines(evalProtocolLines(scored)),
  openai: (scored) => toLines(openaiLines(scored)),
  trl: (scored) => toLines(preferenceLines(scored)),
  csv: (scored) => rolloutCsv(scored.map(rolloutRecord)),
  parquet: (scored) => rolloutParquet(scored.map(rolloutRecord)),
};

export const exportFormats = Object.keys(formats);

/** `biplane export last --format parquet --out run.parquet` */
export const exportCommand = defineCommand({
  meta: { name: "export", description: "Write the rollouts of a run to a file" },
  args: {
    run: { type: "positional", description: runDescription, required: true },
    format: {
      type: "string",
      description:
        "jsonl (rows of Eval Protocol), openai (conversations), trl (preference pairs), csv or parquet (a table with a row per rollout)",
      default: "jsonl",
    },
    out: { type: "string", description: "The file to write (default: standard output)" },
    ...scoringArgs,
    ...runsStoreArgs,
  },
  run: async ({ args }) => {
    const write = Object.hasOwn(formats, args.format) ? formats[args.format] : undefined;
    if (!write) throw usageError(`--format must be one of ${exportFormats.join(", ")}.`);
    if (args.format === "parquet" && args.out === undefined && process.stdout.isTTY)
      throw usageError("Parquet is not text. Name a file with --out.");
    await using store = await openRuns(args);
    const run = await chooseRun(store, args.run);
    const scored = await scoredTraces(store, run.id, args.scoring);
    const content = await write(scored);
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
    throw new BiplaneError("INVALID_INPUT", `${file} already exists. Choose another file.`);
  }
}

function toLines(lines: readonly object[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}
