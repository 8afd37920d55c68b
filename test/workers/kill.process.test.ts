import { join } from "node:path";
import { expect, it } from "vitest";
import { openStore } from "biplane/store";
import type { SqlStore } from "biplane/store";
import { readTraces } from "../../packages/biplane/src/store/runs/rollouts.ts";
import { findRun, listRuns } from "../../packages/biplane/src/store/runs/run.ts";
import { describePostgres } from "../support/describe-postgres.ts";
import { Fleet, writeRows } from "./fleet.ts";

const rows = process.env["BIPLANE_SOAK"] ? 5000 : 60;
const kills = process.env["BIPLANE_SOAK"] ? 40 : 2;
const repetitions = 2;

describePostgres("four workers, of which one after the other is killed", (postgres) => {
  it("record every rollout of a run once, as one process would have played it", { timeout: 3_600_000 }, async () => {
    await using fleet = await Fleet.open(postgres());
    fleet.env = { DELAY_MS: "40" };
    const words = ["./game.js", "--rows", writeRows(fleet.folder, rows), "--repetitions", String(repetitions)];
    const run = await fleet.queue(...words, "--concurrency", "24");
    for (let started = 0; started < 4; started++) await fleet.start("--concurrency", "8");
    const all = rows * repetitions;
    const ended = async () => (await findRun(fleet.store, run)).ended;
    for (let killed = 0; killed < kills; killed++) {
      await expect
        .poll(ended, { timeout: 600_000 })
        .toBeGreaterThanOrEqual(Math.floor((all * (killed + 1)) / (kills + 2)));
      await fleet.workers[killed]?.end("SIGKILL");
      await fleet.start("--concurrency", "8");
    }
    const over = await fleet.over(run);
    expect(over).toMatchObject({ status: "finished", ended: all, finished: all, failed: 0 });
    expect(await fleet.recorded(run)).toHaveLength(all);

    const here = join(fleet.folder, "here.db");
    expect(await fleet.run("rollout", ...words, "--store", here)).toMatchObject({ code: 0 });
    await using reference = await openStore(here);
    const [alone] = await listRuns(reference);
    expect(await playedIn(fleet.store, run)).toEqual(await playedIn(reference, alone?.id ?? ""));
    for (const worker of fleet.workers.slice(kills)) expect(await worker.end("SIGTERM")).toBe(0);
  });
});

/** The rollouts of a run, without what differs each time they are played. */
async function playedIn(store: SqlStore, run: string) {
  const traces = await readTraces(store, run);
  return traces.map(({ index, repetition, rowId, seed, ending, totalReward, steps, messages }) => ({
    index,
    repetition,
    rowId,
    seed,
    ending,
    totalReward,
    steps: steps.map(({ call, observation, reward, terminated }) => ({ call, observation, reward, terminated })),
    messages,
  }));
}
