import { argument, command, file, option, runs } from "./command/define.ts";
import { scoreTraces } from "../rollout/score/scorer.ts";
import { summarize } from "../rollout/score/summary.ts";
import { readTraces } from "../store/runs/rollouts.ts";
import { saveScoring } from "../store/runs/scores.ts";
import { checkPlayed, failureLines } from "./rollout/failures.ts";
import { loadScorer, scorerDescription } from "./rollout/load-scorer.ts";
import { judgeArgs, openModels, reportCost } from "./rollout/open-models.ts";
import { runReport } from "./rollout/report.ts";
import { finiteNumber } from "./rollout/rollout-target.ts";
import type { RunSettings } from "./rollout/rollout-target.ts";
import { chooseRun, openRuns, runDescription, runsStoreArgs } from "./rollout/runs-store.ts";

/** `biplane score last --scorer ./polite.ts` */
export const scoreCommand = command("Score the rollouts of a run again, and keep the scores by name", {
  args: {
    run: argument(runDescription, { takes: runs, required: true }),
    scorer: option(scorerDescription, { takes: file }),
    ...judgeArgs,
    "base-url": option("Base URL of the judge's /chat/completions, unless --judge-model names it"),
    key: option("Name of the secret or variable with the API key (default: OPENAI_API_KEY)"),
    name: option("Name of the scoring (default: that of the scorer)"),
    pass: option("Lowest passing score (default: any score above 0)"),
    ...runsStoreArgs,
  },
  run: async ({ args }) => {
    await using store = await openRuns(args);
    const run = await chooseRun(store, args.run);
    const { judge, budget } = await openModels(args as RunSettings);
    const { scorer, name } = await loadScorer(args.scorer, { model: judge?.chat, criteria: args.criteria });
    const scored = await scoreTraces(await readTraces(store, run.id), scorer);
    const pass = args.pass === undefined ? undefined : finiteNumber("pass", args.pass);
    const summary = summarize(scored, { pass });
    const kept = args.name ?? name;
    await saveScoring(store, run.id, { name: kept, scorer: args.scorer ?? name, summary, scored });
    process.stdout.write(`${runReport(run, summary)}\nKept as the scoring ${kept}.\n`);
    for (const line of failureLines(scored)) process.stderr.write(`${line}\n`);
    reportCost(budget);
    checkPlayed(scored);
  },
});
