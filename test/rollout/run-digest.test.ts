import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqliteStore } from "biplane/sqlite";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeManyTraces } from "../../bench/page/many-traces.ts";
import { readDigest } from "../../src/rollout/run-digest.ts";
import { RunShelf } from "../../src/rollout/run-shelf.ts";
import { addTotals, noTotals, standardErrorOf } from "../../src/rollout/run-totals.ts";
import type { RunTotals } from "../../src/rollout/run-totals.ts";
import { findRun, saveRun } from "../../src/rollout/run.ts";
import { estimate } from "../../src/rollout/score/summary.ts";
import { indexLogOf, logOf } from "../../src/rollout/trace-index.ts";
import type { Store } from "../../src/store/store.ts";

let folder: string;
let store: Store;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "biplane-digest-"));
  store = sqliteStore(join(folder, "runs.db"));
  await writeManyTraces(store, { run: "large", count: 2500 });
  await writeManyTraces(store, { run: "small", count: 30 });
}, 60_000);

afterAll(async () => {
  await store?.close();
  await rm(folder, { recursive: true, force: true });
});

const firstOnes = { order: "index" as const, isDescending: false, limit: 50 };

describe("what of a run is looked at first", () => {
  test("is kept of a large one when it ends, so that its index is not waited for", async () => {
    const run = await findRun(store, "large");
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const gated = { ...store, read: (...words: Parameters<Store["read"]>) => gate.then(() => store.read(...words)) };
    const shelf = new RunShelf(gated);
    const digest = await shelf.digest(run);
    const page = await shelf.page(run, firstOnes);
    const filtered = shelf.page(run, { ...firstOnes, reason: "max_steps" });
    open();
    expect((await filtered).rows[0]?.index).toBe(5);
    expect(digest.totals).toMatchObject({ rollouts: 2500, finished: 2500 });
    const opened = await shelf.open(run);
    expect(JSON.parse(JSON.stringify(opened.digest()))).toEqual(digest);
    expect(page).toEqual(await shelf.page(run, firstOnes));
    expect(page.rows).toHaveLength(50);
    const next = await shelf.page(run, { ...firstOnes, after: page.next ?? "" });
    expect(next.rows[0]?.index).toBe(50);
  });

  test("is not kept of a small one, and is the same", async () => {
    const run = await findRun(store, "small");
    const { totals, first, isAll } = await new RunShelf(store).digest(run);
    expect([totals.rollouts, first.length, isAll]).toEqual([30, 30, true]);
    expect(await readDigest(store, "small")).toBeUndefined();
  });

  test("no longer counts when more was played since, and is made anew", async () => {
    const run = await findRun(store, "large");
    await saveRun(store, { ...run, id: "longer", rows: 2501 });
    for (const log of [logOf, indexLogOf]) {
      const lines = await store.read(log("large"), { limit: 100_000 });
      await store.append(
        log("longer"),
        lines.map(({ line }) => line),
      );
    }
    await store.put("run-digests", "longer", { ...(await readDigest(store, "large")) });
    const longer = await findRun(store, "longer");
    expect((await new RunShelf(store).digest(longer)).totals.rollouts).toBe(2500);
    const begin = JSON.parse((await store.read(logOf("large"), { limit: 1 }))[0]?.line ?? "") as object;
    await store.append(logOf("longer"), [JSON.stringify({ ...begin, rollout: "last", index: 2500 })]);
    expect((await new RunShelf(store).digest(longer)).totals.rollouts).toBe(2501);
    expect((await readDigest(store, "longer"))?.totals.rollouts).toBe(2501);
  });
});

describe("the standard error of a run's mean", () => {
  test("is that of its rewards, also where a row was played again", () => {
    const reward = fc.double({ min: -100, max: 100, noNaN: true });
    fc.assert(
      fc.property(fc.array(reward, { minLength: 2, maxLength: 40 }), reward, (rewards, before) => {
        const all = rewards.map((each) => ({ reason: "stop", reward: each }));
        const again = { reason: "stop", reward: before };
        const totals = all.reduce(
          (sum, each, at) => addTotals(sum, each, at === 0 ? again : undefined),
          addTotals(noTotals, again),
        );
        expect(standardErrorOf(totals)).toBeCloseTo(estimate(rewards).standardError, 3);
      }),
    );
  });

  test("is not known of one rollout, nor of runs from before squares were kept", () => {
    const old: RunTotals = { rollouts: 20, finished: 20, failed: 0, reward: 7 };
    expect(standardErrorOf(old)).toBeNull();
    expect(standardErrorOf(addTotals(old, { reason: "stop", reward: 1 }))).toBeNull();
    expect(standardErrorOf(addTotals(noTotals, { reason: "stop", reward: 1 }))).toBeNull();
  });
});
