import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Run } from "../../store/runs/run.ts";
import type { ScoredTrace } from "../score/scorer.ts";
import { summarize } from "../score/summary.ts";
import type { Summary } from "../score/summary.ts";
import { jsonLines, writeNewFolder } from "./new-folder.ts";
import { rolloutParquet, rolloutRecords } from "./rollout-table.ts";
import { mlflowScript, wandbScript } from "./tracker-scripts.ts";

/** The experiment trackers that a run can be logged to. */
export type Tracker = "wandb" | "mlflow";

export interface TrackerFolderOptions {
  readonly tracker: Tracker;
  readonly run: Run;
  readonly scored: readonly ScoredTrace[];
}

const scripts: Readonly<Record<Tracker, { readonly name: string; readonly text: string }>> = {
  wandb: { name: "log_to_wandb.py", text: wandbScript },
  mlflow: { name: "log_to_mlflow.py", text: mlflowScript },
};

/**
 * Writes a run to a new folder, with a Python script that logs it to a tracker. The script needs only the tracker's
 * package and works offline. The trackers' own files change with their versions, so they are left to their packages.
 */
export async function writeTrackerFolder(folder: string, options: TrackerFolderOptions): Promise<string> {
  const { tracker, run, scored } = options;
  const { name, text } = scripts[tracker];
  await writeNewFolder(folder, async (draft) => {
    await writeFile(join(draft, "run.json"), `${JSON.stringify(runFacts(run, scored), undefined, 2)}\n`);
    await writeFile(join(draft, "rollouts.jsonl"), jsonLines(rolloutRecords(scored)));
    await writeFile(join(draft, "rollouts.parquet"), await rolloutParquet(scored));
    await writeFile(join(draft, name), text);
  });
  return name;
}

function runFacts(run: Run, scored: readonly ScoredTrace[]): object {
  const { id, name, tags, target, agent, model, rows, repetitions, steps, version, startedAt, endedAt } = run;
  return {
    id,
    name: name ?? id,
    tags,
    config: { target, agent, model, rows, repetitions, steps, version, started_at: startedAt, ended_at: endedAt },
    summary: figures(summarize(scored, { pass: run.pass })),
  };
}

/** Flat names, which every tracker accepts. */
function figures(summary: Summary): Readonly<Record<string, number | null>> {
  const passAt = Object.entries(summary.passAt).map(([k, value]) => [`pass_at_${k}`, value] as const);
  const maskedBy = Object.entries(summary.maskedBy).map(([kind, count]) => [`masked_${kind}`, count] as const);
  return {
    mean_score: summary.mean,
    standard_error: summary.standardError,
    rollouts: summary.rollouts,
    masked: summary.masked,
    steps: summary.steps,
    tokens: summary.tokens,
    cost: summary.cost ?? null,
    ...Object.fromEntries([...passAt, ...maskedBy]),
  };
}
