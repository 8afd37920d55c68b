import { expect, it } from "vitest";
import { listRuns } from "../../packages/biplane/src/store/runs/run.ts";
import { describePostgres } from "../support/describe-postgres.ts";
import { Fleet } from "./fleet.ts";

const run = ["--", "rollout", "frozen-lake", "--agent", "random", "-n", "5"];

describePostgres("a schedule", (postgres) => {
  it("is added, listed, started now, changed and removed", { timeout: 180_000 }, async () => {
    await using fleet = await Fleet.open(postgres());
    const schedule = (...words: string[]) => fleet.here("schedule", ...words);
    expect((await schedule("list")).stdout).toContain("No schedules yet.");
    const zone = ["--time-zone", "Europe/Berlin"];
    expect(await schedule("add", "nightly", "--cron", "0 3 * * *", ...zone, ...run)).toMatchObject({ code: 0 });
    const listed =
      /nightly +0 3 \* \* \* +Europe\/Berlin +\S+T0[12]:00:00\.000Z +rollout frozen-lake --agent random -n 5/;
    expect(await schedule("list")).toMatchObject({ code: 0, stdout: expect.stringMatching(listed) });
    expect((await schedule("run", "nightly")).stdout).toContain("nightly is due.");
    await Promise.all([fleet.start(), fleet.start()]);
    await expect.poll(() => listRuns(fleet.store), { timeout: 30_000 }).toHaveLength(1);
    const [started] = await listRuns(fleet.store);
    expect(await fleet.over(started?.id ?? "")).toMatchObject({ name: "nightly", status: "finished", ended: 5 });
    expect(await schedule("add", "nightly", "--cron", "30 4 * * 1", ...run)).toMatchObject({ code: 0 });
    expect((await schedule("list")).stdout).toMatch(/nightly +30 4 \* \* 1 +UTC/);
    expect((await schedule("remove", "nightly")).stdout).toBe("Removed nightly.\n");
    expect(await schedule("remove", "nightly")).toMatchObject({ code: 1 });
    expect(await listRuns(fleet.store)).toHaveLength(1);
  });

  it("with an error is refused when it is added", async () => {
    await using fleet = await Fleet.open(postgres());
    const refusals = [
      [["--cron", "25 o'clock", ...run], `The schedule "25 o'clock" in UTC is not valid`],
      [["--cron", "0 3 * * *", "--time-zone", "Mars/Olympus", ...run], "in Mars/Olympus is not valid"],
      [["--cron", "0 3 * * *"], "Pass the run after --"],
      [["--cron", "0 3 * * *", "--", "rollout", "frozen-lake", "--speed", "3"], "Unknown option --speed"],
      [["--cron", "0 3 * * *", "--", "rollout", "no-such-place"], "is not a target"],
    ] as const;
    for (const [words, reason] of refusals)
      expect(await fleet.here("schedule", "add", "nightly", ...words)).toMatchObject({
        code: expect.toBeOneOf([1, 2]),
        stderr: expect.stringContaining(reason),
      });
  });

  // The clock of the database decides, and it has minutes.
  it.runIf(process.env["BIPLANE_SOAK"])("starts its run when it is due", { timeout: 300_000 }, async () => {
    await using fleet = await Fleet.open(postgres());
    await Promise.all([fleet.start(), fleet.start()]);
    await fleet.here("schedule", "add", "often", "--cron", "* * * * *", ...run);
    await expect.poll(() => listRuns(fleet.store), { timeout: 150_000, interval: 500 }).not.toHaveLength(0);
    const [started] = await listRuns(fleet.store);
    expect(await fleet.over(started?.id ?? "")).toMatchObject({ name: "often", status: "finished", ended: 5 });
  });
});
