import { defineCommand } from "citty";
import { isInterrupted, listRuns, readTraces } from "../rollout/run.ts";
import { scoreTraces, totalReward } from "../rollout/score/scorer.ts";
import { summarize } from "../rollout/score/summary.ts";
import { openRuns, storeArgs } from "./judge/runs-store.ts";
import { short, table } from "./judge/text.ts";

/** `biplane runs`: what has been played. */
export const runsCommand = defineCommand({
  meta: { name: "runs", description: "List the runs that have been played, the newest last" },
  args: { ...storeArgs, limit: { type: "string", description: "How many, from the newest", default: "20" } },
  run: async ({ args }) => {
    await using store = openRuns(args);
    const runs = (await listRuns(store)).slice(-Number(args.limit));
    if (runs.length === 0) {
      process.stdout.write("There are no runs yet: biplane rollout --env frozen-lake --agent random -n 20\n");
      return;
    }
    const rows = await Promise.all(
      runs.map(async (run) => {
        const { rollouts, mean, reasons } = summarize(await scoreTraces(await readTraces(store, run.id), totalReward));
        const failed = Object.entries(reasons).reduce(
          (sum, [reason, count]) => sum + (reason.startsWith("error") ? count : 0),
          0,
        );
        const status = isInterrupted(run) ? "interrupted" : run.status;
        return [
          run.id,
          status,
          run.target,
          run.model,
          `${rollouts}/${run.rows * run.repetitions}`,
          short(mean),
          String(failed),
        ];
      }),
    );
    process.stdout.write(`${table(["run", "status", "target", "model", "rollouts", "reward", "failed"], rows)}\n`);
  },
});
