import type { Envs } from "../rollout/make.ts";
import { describedRun, jobsOf } from "../rollout/rollout.ts";
import type { RolloutOptions } from "../rollout/rollout.ts";
import { rowLine } from "../rollout/row.ts";
import { jobKey } from "../store/runs/rollout-facts.ts";
import { finishedJobs } from "../store/runs/rollouts.ts";
import { queuedPid, saveRun } from "../store/runs/run.ts";
import type { Run } from "../store/runs/run.ts";
import type { SqlStore } from "../store/sql-store.ts";
import { removeDue } from "./queue-tables.ts";
import type { RolloutQueue } from "./rollout-queue.ts";

export interface EnqueueOptions extends Omit<RolloutOptions, "store" | "concurrency"> {
  readonly store: SqlStore;
  /** How many of the run's rollouts may be played at once, by all workers (default: no limit). */
  readonly concurrency?: number | undefined;
  /** Runs with a higher one are played first (default: 0). */
  readonly priority?: number;
  /** The job that asked for the run. Only one process can use it. */
  readonly job?: string;
}

/** Saves a run and puts its rollouts into the queue, all or nothing. Undefined if `job` was used already. */
export async function enqueueRun(queue: RolloutQueue, envs: Envs, options: EnqueueOptions): Promise<Run | undefined> {
  const { store, repetitions = 1, priority = 0, job, resume } = options;
  const all = jobsOf(envs, repetitions);
  const concurrency = options.concurrency ?? Math.max(1, all.length);
  const run = { ...(await describedRun(envs, { ...options, concurrency })), pid: queuedPid };
  const finished = resume ? await finishedJobs(store, run.id) : new Set<string>();
  const rollouts = all
    .filter((each) => !finished.has(jobKey(each)))
    .map(({ row, ...rest }) => ({ run: run.id, ...rest, row: rowLine(row) }));
  return store.db.transaction().execute(async (transaction) => {
    if (job !== undefined && !(await removeDue(transaction, job))) return undefined;
    await saveRun({ db: transaction }, run);
    await queue.add(transaction, rollouts, { run, priority });
    return run;
  });
}
