import { rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findRun } from "../../packages/biplane/src/store/runs/run.ts";
import { describePostgres } from "../support/describe-postgres.ts";
import { openQueue } from "../../packages/biplane/src/queue/rollout-queue.ts";
import { queueNames } from "../../packages/biplane/src/queue/queue-tables.ts";
import { Fleet, writeRows } from "./fleet.ts";

describePostgres("workers that die or pause", (postgres) => {
  it("set a rollout aside that kills them, and only that one", { timeout: 600_000 }, async () => {
    await using fleet = await Fleet.open(postgres());
    writeFileSync(join(fleet.folder, "poison-3"), "");
    const run = await fleet.queue("./game.js", "--rows", writeRows(fleet.folder, 8));
    for (let deaths = 0; deaths < 3; deaths++) {
      const worker = await fleet.start("--name", `worker ${deaths}`);
      await worker.gone();
    }
    await fleet.start("--name", "the last worker");
    expect(await fleet.over(run)).toMatchObject({ status: "finished", ended: 8, failed: 1 });
    const lost = (await fleet.recorded(run)).filter(({ ending_group }) => ending_group === "error");
    expect(lost).toMatchObject([
      {
        row_id: "row_3",
        seed: "3",
        ending: "error: lost",
        masked: 1,
        steps: 0,
        message: expect.stringContaining("worker 2"),
      },
    ]);
    expect((await fleet.here("show", run, "--row", "3")).stdout).toContain(
      "The rollout was set aside: the 3 workers that played it died",
    );
  });

  it("go on when their database is back", { timeout: 600_000 }, async () => {
    await using fleet = await Fleet.open(postgres());
    fleet.env = { DELAY_MS: "50" };
    const run = await fleet.queue("./game.js", "--rows", writeRows(fleet.folder, 100));
    await Promise.all([fleet.start(), fleet.start()]);
    await expect
      .poll(async () => (await findRun(fleet.store, run)).ended, { timeout: 60_000 })
      .toBeGreaterThanOrEqual(10);
    await postgres().crash();
    await postgres().start();
    expect(await fleet.over(run)).toMatchObject({ status: "finished", ended: 100, failed: 0 });
    expect(await fleet.recorded(run)).toHaveLength(100);
  });

  it("cannot record what others played while they were paused", { timeout: 600_000 }, async () => {
    await using fleet = await Fleet.open(postgres());
    const hold = join(fleet.folder, "hold");
    writeFileSync(hold, "");
    const run = await fleet.queue("./game.js", "--rows", writeRows(fleet.folder, 6));
    const paused = await fleet.start("--concurrency", "4");
    await expect.poll(() => readFile(join(fleet.folder, "begun"), "utf8"), { timeout: 30_000 }).toMatch(/(.*\n){4}/);
    paused.signal("SIGSTOP");
    rmSync(hold);
    await fleet.start();
    expect(await fleet.over(run)).toMatchObject({ status: "finished", ended: 6, failed: 0 });
    const before = await fleet.recorded(run);
    paused.signal("SIGCONT");
    expect(await paused.end("SIGTERM")).toBe(0);
    expect(await fleet.recorded(run)).toEqual(before);
    expect(await fleet.over(run)).toMatchObject({ ended: 6 });
  });

  it("give back only what nobody has taken since", async () => {
    await using fleet = await Fleet.open(postgres());
    const id = await fleet.queue("./game.js", "--rows", writeRows(fleet.folder, 1));
    const run = await findRun(fleet.store, id);
    await using queue = await openQueue({ store: fleet.store, url: fleet.url });
    const take = (player: string) => queue.take({ limit: 1, player, runs: [run], except: [] });
    const early = await take("paused");
    expect(early).toMatchObject([{ players: ["paused"] }]);
    // What the queue does when a worker is silent for too long.
    for (const { job } of early) await queue.boss.fail(queueNames.rollouts, job);
    const later = await take("other");
    expect(later).toMatchObject([{ players: ["paused", "other"] }]);
    await queue.giveBack(early, "paused");
    expect(await take("third")).toEqual([]);
    await queue.giveBack(later, "other");
    expect(await take("third")).toMatchObject([{ players: ["paused", "third"] }]);
  });
});
