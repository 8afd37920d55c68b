import { BiplaneError } from "@biplane/core";
import { checkNewFolder } from "../../rollout/export/new-folder.ts";
import { writeRunFolder } from "../../rollout/export/run-folder.ts";
import { scoreTraces } from "../../rollout/score/scorer.ts";
import type { Scorer } from "../../rollout/score/scorer.ts";
import { shortfall, summarize } from "../../rollout/score/summary.ts";
import type { Threshold } from "../../rollout/score/summary.ts";
import { readTraces } from "../../store/runs/rollouts.ts";
import type { Run } from "../../store/runs/run.ts";
import type { ChatModel } from "../../rollout/user.ts";
import { saveScoring } from "../../store/runs/scores.ts";
import type { SqlStore } from "../../store/sql-store.ts";
import { checkMasked, checkPlayed, failureLines } from "./failures.ts";
import { loadScorer } from "./load-scorer.ts";
import { runReport } from "./report.ts";
import type { RolloutArgs } from "./rollout-args.ts";
import { finiteNumber } from "./rollout-target.ts";

/** How a run is evaluated. It is read before anything is played, because a run can take hours. */
export interface Evaluation {
  readonly scorer: Scorer;
  /** The name to keep the scores under. Undefined if they are the rewards, which are kept anyway. */
  readonly scoring: { readonly name: string; readonly scorer: string } | undefined;
  readonly pass: number | undefined;
  readonly folder: string | undefined;
  readonly threshold: Threshold | undefined;
  /** The greatest share of rollouts that may have no score. */
  readonly maxMasked: number;
}

type EvaluationArgs = Partial<
  Pick<RolloutArgs, "scorer" | "criteria" | "export" | "pass" | "threshold" | "max-standard-error" | "max-masked">
>;

export async function readEvaluation(given: EvaluationArgs, judge: ChatModel | undefined): Promise<Evaluation> {
  const { threshold, "max-standard-error": maxStandardError, export: folder } = given;
  const { scorer, name } = await loadScorer(given.scorer, { model: judge, criteria: given.criteria });
  const pass = given.pass === undefined ? undefined : finiteNumber("pass", given.pass);
  if (folder !== undefined) await checkNewFolder(folder);
  const limits = {
    success: threshold === undefined ? -Infinity : finiteNumber("threshold", threshold),
    ...(maxStandardError !== undefined && { standardError: finiteNumber("max-standard-error", maxStandardError) }),
  };
  const maxMasked = finiteNumber("max-masked", given["max-masked"] ?? "0.05");
  return {
    scorer,
    maxMasked,
    scoring: given.scorer === undefined && name === "reward" ? undefined : { name, scorer: given.scorer ?? name },
    pass,
    folder,
    threshold: threshold === undefined && maxStandardError === undefined ? undefined : limits,
  };
}

/** Scores the run, prints the report, and throws if the run failed or misses a threshold. */
export async function evaluate(store: SqlStore, run: Run, evaluation: Evaluation): Promise<void> {
  const { scorer, scoring, folder, threshold, maxMasked } = evaluation;
  const scored = await scoreTraces(await readTraces(store, run.id), scorer);
  const pass = evaluation.pass ?? (scoring ? undefined : run.pass);
  const summary = summarize(scored, { pass });
  if (scoring) await saveScoring(store, run.id, { ...scoring, summary, scored });
  process.stdout.write(`${runReport(run, summary)}\n`);
  for (const line of failureLines(scored)) process.stderr.write(`${line}\n`);
  if (folder !== undefined) await writeRunFolder(folder, { run, scored, pass });
  checkPlayed(scored);
  const why = threshold && shortfall(summary, threshold);
  if (why !== undefined) throw new BiplaneError("EXECUTION_ERROR", why);
  if (run.status === "finished") checkMasked(summary, maxMasked);
  else process.exitCode = 130;
}
