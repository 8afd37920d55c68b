import { cancelRun } from "../store/runs/record-rollouts.ts";
import type { SqlStore } from "../store/sql-store.ts";
import { removeRun } from "./queue-tables.ts";

/** Cancels a run that workers play. They abort what they play of it within a second. Returns how many rollouts it had left. */
export async function cancelQueuedRun({ db }: SqlStore, run: string): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    await cancelRun(transaction, run);
    return removeRun(transaction, run);
  });
}
