import { defineCommand } from "citty";
import { isInterrupted, listRuns } from "../rollout/run.ts";
import type { Run } from "../rollout/run.ts";
import { RunShelf } from "../rollout/run-shelf.ts";
import { playerOf } from "./judge/report.ts";
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
    const shelf = new RunShelf(store);
    const rows: string[][] = [];
    for (const run of runs) {
      const { rollouts, failed, mean } = await cameTo(shelf, run);
      const status = isInterrupted(run) ? "interrupted" : run.status;
      const played = `${rollouts}/${run.rows * run.repetitions}`;
      rows.push([run.id, status, run.target, playerOf(run), played, short(mean), String(failed)]);
    }
    process.stdout.write(`${table(["run", "status", "target", "model", "rollouts", "reward", "failed"], rows)}\n`);
  },
});

/** Rows count alike. Where all were played equally often, the mean of the rollouts is that of the rows. */
async function cameTo(shelf: RunShelf, run: Run): Promise<{ rollouts: number; failed: number; mean: number }> {
  const { rollouts, failed, reward } = await shelf.totals(run);
  const isEven = run.repetitions === 1 || rollouts === run.rows * run.repetitions;
  if (isEven) return { rollouts, failed, mean: rollouts === 0 ? 0 : reward / rollouts };
  const { summary } = (await shelf.open(run)).figures();
  return { rollouts, failed, mean: summary.mean };
}
