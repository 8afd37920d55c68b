import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";
import { chunks, changesRow } from "../change-rows.ts";
import { countRollouts, insertEvents } from "./rollouts.ts";
import type { WrittenEvent } from "./rollouts.ts";

/**
 * Records whole rollouts of a run that workers play, in the transaction of the caller. A rollout may be played twice, but
 * is recorded once: a row that exists stays. Returns false, without a change, if the run is over. The last rollout ends
 * the run.
 */
export async function recordRollouts(
  db: Kysely<Tables>,
  run: string,
  rollouts: readonly (readonly WrittenEvent[])[],
): Promise<boolean> {
  const isRunning = () => db.selectFrom("runs").select("id").where("id", "=", run).where("status", "=", "running");
  // Recordings of a run take turns here, so none waits for a row that another one inserted.
  if (!(await isRunning().forUpdate().executeTakeFirst())) return false;
  const rows = rollouts.flatMap((events) => events.at(-1)?.row ?? []);
  const added = new Set<string>();
  for (const part of chunks(rows)) {
    const inserted = await db
      .insertInto("rollouts")
      .values(part)
      .onConflict((conflict) => conflict.columns(["run", "row_index", "repetition"]).doNothing())
      .returning("rollout")
      .execute();
    for (const { rollout } of inserted) added.add(rollout);
  }
  if (added.size === 0) return true;
  const isAdded = ({ rollout }: { readonly rollout: string }) => added.has(rollout);
  await insertEvents(
    db,
    run,
    rollouts.flat().filter(({ row }) => isAdded(row)),
  );
  await countRollouts(db, run, rows.filter(isAdded));
  await db
    .updateTable("runs")
    .set({ status: "finished", ended_at: Date.now() })
    .where("id", "=", run)
    .where((eb) => eb("ended", ">=", eb("rows", "*", eb.ref("repetitions"))))
    .execute();
  return true;
}

/** Ends a run that workers play. Returns false if it was over already. */
export async function cancelRun(db: Kysely<Tables>, run: string): Promise<boolean> {
  const running = db.updateTable("runs").where("id", "=", run).where("status", "=", "running");
  return changesRow(running.set({ status: "cancelled", ended_at: Date.now() }));
}
