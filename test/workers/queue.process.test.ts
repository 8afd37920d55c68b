import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listProcesses } from "../../packages/biplane/src/fleet/processes.ts";
import { findRun } from "../../packages/biplane/src/store/runs/run.ts";
import { runHere } from "../cli/command.ts";
import { describePostgres } from "../support/describe-postgres.ts";
import { Fleet, projectFolder, writeRows, WorkerProcess } from "./fleet.ts";

describePostgres(
  "a queued run",
  (postgres) => {
    it("is followed to its end and evaluated like any other", async () => {
      await using fleet = await Fleet.open(postgres());
      const worker = await fleet.start("--name", "a worker", "--concurrency", "5");
      await expect
        .poll(() => listProcesses(fleet.store))
        .toMatchObject([{ kind: "worker", name: "a worker", load: { concurrency: 5, episodes: 0, recorded: 0 } }]);
      const words = ["frozen-lake", "--agent", "random", "-n", "30", "--name", "lakes", "--queue"];
      const { code, stdout, stderr } = await fleet.run("rollout", ...words, "--store", fleet.url, "--threshold", "-1");
      expect([code, stderr.split("\n")[0]]).toEqual([0, expect.stringMatching(/^Queued 30 rollouts as the run /)]);
      expect(stdout).toMatch(/rollouts +30 of 30\nscore +0/);
      expect((await fleet.here("runs")).stdout).toMatch(/lakes +finished +frozen-lake .*30\/30/);
      expect((await fleet.here("runs", "watch", "lakes")).stdout).toContain("30 of 30");
      expect(await worker.end("SIGTERM")).toBe(0);
      expect(await listProcesses(fleet.store)).toEqual([]);
    });

    it("is cancelled: nothing of it is played any more, and it can be resumed", async () => {
      await using fleet = await Fleet.open(postgres());
      const hold = join(fleet.folder, "hold");
      writeFileSync(hold, "");
      const run = await fleet.queue("./game.js", "--rows", writeRows(fleet.folder, 50));
      const worker = await fleet.start("--concurrency", "3", "--grace", "1");
      const begun = () => readFile(join(fleet.folder, "begun"), "utf8").catch(() => "");
      await expect.poll(begun, { timeout: 30_000 }).toMatch(/(.*\n){3}/);
      expect((await fleet.here("runs")).stdout).toContain("running (3 playing, 47 queued)");
      expect(await fleet.here("runs", "cancel", run)).toMatchObject({
        code: 0,
        stdout: `Cancelled ${run}. 50 rollouts are not played any more.\n`,
      });
      expect(await fleet.over(run)).toMatchObject({ status: "cancelled", ended: 0 });
      expect(await fleet.here("runs", "cancel", run)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("is over: it is cancelled"),
      });
      expect((await fleet.here("runs")).stdout).toMatch(/cancelled +game .*0\/50/);
      expect(await worker.end("SIGTERM")).toBe(0); // though what it played still holds
      expect((await begun()).split("\n")).toHaveLength(4);

      rmSync(hold);
      await fleet.start();
      const resumed = await fleet.run("rollout", "--resume", run, "--queue", "--store", fleet.url);
      expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining("50 of 50") });
    });

    it("is not played by a worker with other code, and by one with the same code", async () => {
      await using fleet = await Fleet.open(postgres());
      const other = await projectFolder();
      appendFileSync(join(other, "delay.js"), "// changed\n");
      const run = await fleet.queue("./game.js", "--rows", writeRows(fleet.folder, 5));
      const wrong = new WorkerProcess({ folder: other, url: fleet.url, env: {} }, []);
      fleet.workers.push(wrong);
      await expect
        .poll(() => wrong.said, { timeout: 60_000 })
        .toMatch(
          new RegExp(
            `Cannot play the run ${run}: Its code \\(\\./game\\.js, Biplane \\S+\\) has the hash \\w{12} here, and`,
          ),
        );
      expect(await findRun(fleet.store, run)).toMatchObject({ status: "running", ended: 0 });
      await fleet.start();
      expect(await fleet.over(run)).toMatchObject({ status: "finished", ended: 5, failed: 0 });
      rmSync(other, { recursive: true });
    });

    it("goes on elsewhere when its worker is stopped, which does not count as a death", async () => {
      await using fleet = await Fleet.open(postgres());
      const hold = join(fleet.folder, "hold");
      writeFileSync(hold, "");
      const run = await fleet.queue("./game.js", "--rows", writeRows(fleet.folder, 4));
      const begun = () => readFile(join(fleet.folder, "begun"), "utf8").catch(() => "");
      for (let stopped = 1; stopped <= 4; stopped++) {
        const worker = await fleet.start("--grace", "0");
        await expect.poll(async () => (await begun()).split("\n").length - 1, { timeout: 30_000 }).toBe(4 * stopped);
        expect(await worker.end("SIGTERM")).toBe(0);
      }
      rmSync(hold);
      await fleet.start();
      expect(await fleet.over(run)).toMatchObject({ status: "finished", ended: 4, failed: 0 });
    });

    it("lets rollouts end before its worker stops", async () => {
      await using fleet = await Fleet.open(postgres());
      const hold = join(fleet.folder, "hold");
      writeFileSync(hold, "");
      const run = await fleet.queue("./game.js", "--rows", writeRows(fleet.folder, 4));
      const worker = await fleet.start("--concurrency", "2", "--grace", "600");
      const begun = () => readFile(join(fleet.folder, "begun"), "utf8").catch(() => "");
      await expect.poll(begun, { timeout: 30_000 }).toMatch(/(.*\n){2}/);
      worker.signal("SIGTERM");
      await expect.poll(() => worker.said).toContain("Stopping.");
      rmSync(hold);
      await worker.gone();
      expect(await findRun(fleet.store, run)).toMatchObject({ status: "running", ended: 2 });
    });

    it("plays no more rollouts at once than it may, after runs of a higher priority", async () => {
      await using fleet = await Fleet.open(postgres());
      const hold = join(fleet.folder, "hold");
      writeFileSync(hold, "");
      const rows = writeRows(fleet.folder, 6);
      const low = await fleet.queue("./game.js", "--rows", rows);
      const high = await fleet.queue("./game.js", "--rows", rows, "--priority", "5", "--concurrency", "2");
      await Promise.all([fleet.start("--concurrency", "4"), fleet.start("--concurrency", "4")]);
      const playing = async () => (await fleet.here("runs")).stdout;
      await expect
        .poll(playing, { timeout: 60_000, interval: 500 })
        .toMatch(new RegExp(`${low}.*running \\(6 playing`));
      expect(await playing()).toMatch(new RegExp(`${high}.*running \\(2 playing, 4 queued\\)`));
      rmSync(hold);
      expect(await fleet.over(high)).toMatchObject({ status: "finished", ended: 6, failed: 0 });
      expect(await fleet.over(low)).toMatchObject({ status: "finished", ended: 6, failed: 0 });
    });

    it("starts commands only on workers that may", async () => {
      await using fleet = await Fleet.open(postgres());
      const run = await fleet.queue("-n", "1", "--steps", "1", "--", process.execPath, "-e", "process.exit(1)");
      const worker = await fleet.start();
      await expect.poll(() => worker.said, { timeout: 30_000 }).toContain("this worker may not");
      await fleet.start("--allow-commands");
      expect(await fleet.over(run)).toMatchObject({ status: "finished", ended: 1, failed: 1 });
    });

    it("cannot have what its workers cannot do", async () => {
      const reasons = {
        "--fork": "--fork needs a run in one process",
        "--agent person": "Workers cannot ask a person",
        "--bearer a-secret": "--bearer must name a variable that the workers have",
        "--no-wait --threshold 1": "--threshold needs the end of the run",
      };
      await using fleet = await Fleet.open(postgres());
      for (const [words, reason] of Object.entries(reasons)) {
        const answer = await fleet.here("rollout", "frozen-lake", "--queue", ...words.split(" "));
        expect(answer).toMatchObject({ code: 2, stderr: expect.stringContaining(reason) });
      }
    });
  },
  { timeout: 180_000 },
);

describe("without Postgres", () => {
  it.each([
    [["rollout", "frozen-lake", "--queue"]],
    [["worker", "--store", "./store.db"]],
    [["schedule", "list", "--store", "./store.db"]],
  ])("%j says what it needs", async (words) => {
    const { code, stderr } = await runHere(...words);
    expect([code, stderr]).toEqual([2, expect.stringContaining("need a Postgres store that all machines share, not ")]);
    expect(stderr).toContain("--store postgres://user@host/database");
  });
});
