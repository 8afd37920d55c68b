import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Run } from "../../store/runs/run.ts";
import type { ScoredTrace } from "../score/scorer.ts";
import { summarize } from "../score/summary.ts";
import { annotationLines, evalProtocolLines, fineTuningLines, openaiLines, preferenceLines } from "./lines.ts";
import { jsonLines, writeNewFolder } from "./new-folder.ts";

export interface RunFolderOptions {
  readonly run: Run;
  readonly scored: readonly ScoredTrace[];
  /** The least score with which a rollout passes (default: that of the run). */
  readonly pass?: number | undefined;
}

/**
 * Exports a run to a new folder: rows, conversations, traces, fine-tuning and preference data, and a manifest. The
 * folder appears only when it is complete.
 */
export async function writeRunFolder(folder: string, options: RunFolderOptions): Promise<void> {
  const { run, scored, pass = run.pass } = options;
  await writeNewFolder(folder, async (draft) => {
    const files: Record<string, { sha256: string; lines: number }> = {};
    for (const [name, lines] of Object.entries(filesOf(scored, pass))) {
      const text = jsonLines(lines);
      await writeFile(join(draft, name), text);
      files[name] = { sha256: createHash("sha256").update(text).digest("hex"), lines: lines.length };
    }
    const facts = { ...manifest(run, scored), summary: summarize(scored, { pass }), files };
    await writeFile(join(draft, "manifest.json"), `${JSON.stringify(facts, undefined, 2)}\n`);
  });
}

function filesOf(scored: readonly ScoredTrace[], pass: number | undefined): Record<string, readonly unknown[]> {
  return {
    "rows.jsonl": evalProtocolLines(scored),
    "messages.jsonl": openaiLines(scored),
    "fine-tuning.jsonl": fineTuningLines(scored, { pass }),
    "preferences.jsonl": preferenceLines(scored),
    "traces.jsonl": scored.map(({ trace }) => trace),
    "annotations.jsonl": annotationLines(scored),
  };
}

function manifest(run: Run, scored: readonly ScoredTrace[]): object {
  const { pid: _, ...facts } = run;
  return {
    format: "biplane-run-1",
    run: facts,
    versions: { biplane: run.version, node: process.versions.node },
    seeds: Object.fromEntries(scored.map(({ trace }) => [`${trace.rowId}/${trace.repetition}`, trace.seed])),
    rows_sha256: createHash("sha256")
      .update(JSON.stringify(scored.filter(({ trace }) => trace.repetition === 0).map(({ trace }) => trace.row)))
      .digest("hex"),
  };
}
