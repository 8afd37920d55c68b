import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { BiplaneError } from "../../errors.ts";
import type { Run } from "../run.ts";
import type { ScoredTrace } from "../score/scorer.ts";
import { summarize } from "../score/summary.ts";
import { evalProtocolLines, fineTuningLines, openaiLines, preferenceLines } from "./lines.ts";

/**
 * Writes a run into a folder of its own: rows, conversations, traces, what can be learned from, and a manifest that says
 * what all of it is. The folder is there whole or not at all.
 */
export async function writeRunFolder(folder: string, run: Run, scored: readonly ScoredTrace[]): Promise<void> {
  const target = resolve(folder);
  await mkdir(dirname(target), { recursive: true });
  const draft = await mkdtemp(`${target}.`);
  try {
    const files: Record<string, { sha256: string; lines: number }> = {};
    for (const [name, lines] of Object.entries(filesOf(scored))) {
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
      await writeFile(join(draft, name), text);
      files[name] = { sha256: createHash("sha256").update(text).digest("hex"), lines: lines.length };
    }
    await writeFile(join(draft, "manifest.json"), `${JSON.stringify(manifest(run, scored, files), undefined, 2)}\n`);
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== "ENOTEMPTY" && code !== "EEXIST") throw error;
    throw new BiplaneError("INVALID_INPUT", `${target} is there already; choose another folder`, { cause: error });
  }
}

function filesOf(scored: readonly ScoredTrace[]): Record<string, readonly unknown[]> {
  return {
    "rows.jsonl": evalProtocolLines(scored),
    "messages.jsonl": openaiLines(scored),
    "fine-tuning.jsonl": fineTuningLines(scored),
    "preferences.jsonl": preferenceLines(scored),
    "traces.jsonl": scored.map(({ trace }) => trace),
  };
}

function manifest(run: Run, scored: readonly ScoredTrace[], files: object): object {
  const { pid: _, ...facts } = run;
  return {
    format: "biplane-run-1",
    run: facts,
    versions: { biplane: run.version, node: process.versions.node },
    seeds: Object.fromEntries(scored.map(({ trace }) => [`${trace.rowId}/${trace.repetition}`, trace.seed])),
    rows_sha256: createHash("sha256")
      .update(JSON.stringify(scored.filter(({ trace }) => trace.repetition === 0).map(({ trace }) => trace.row)))
      .digest("hex"),
    summary: summarize(scored),
    files,
  };
}
