import fc from "fast-check";
import { expect, test } from "vitest";
import type { SqlStore } from "biplane/store";
import { blackjack } from "../../packages/gallery/src/blackjack/blackjack.ts";
import { randomAgent } from "../../packages/biplane/src/rollout/agent/random.ts";
import { seedRows } from "../../packages/biplane/src/rollout/row.ts";
import { scoreTraces, totalReward } from "../../packages/biplane/src/rollout/score/scorer.ts";
import { summarize } from "../../packages/biplane/src/rollout/score/summary.ts";
import { neighboursOf, pageOfTraces } from "../../packages/biplane/src/store/runs/rollout-list.ts";
import type { TraceQuery } from "../../packages/biplane/src/store/runs/rollout-list.ts";
import { finishedJobs, readTraces } from "../../packages/biplane/src/store/runs/rollouts.ts";
import { figuresOf } from "../../packages/biplane/src/store/runs/run-figures.ts";
import { deleteRun, describeRun, findRun, listRuns, saveRun } from "../../packages/biplane/src/store/runs/run.ts";
import type { RolloutRow } from "../../packages/biplane/src/store/tables.ts";
import { playAll } from "../rollout/playing.ts";
import { describeEngines } from "../support/each-engine.ts";
import { runs } from "../support/runs.ts";

async function play(store: SqlStore, run: string, options: { count?: number; repetitions?: number } = {}) {
  const { count = 40, repetitions = 1 } = options;
  await using game = blackjack();
  const seeds = Array.from({ length: count }, (_, at) => at);
  await playAll(game, seedRows(seeds), { agent: randomAgent(), store, run, repetitions, concurrency: 16 });
}

describeEngines("runs", ({ open }) => {
  test("have the figures of their traces", async () => {
    const store = await open();
    await play(store, "a", { count: 30, repetitions: 3 });
    const run = await findRun(store, "a");
    expect(run).toMatchObject({ status: "finished", ended: 90, finished: 90, failed: 0 });
    const traces = await readTraces(store, "a");
    expect(traces).toHaveLength(90);
    const { passAt, ...expected } = summarize(await scoreTraces(traces, totalReward));
    const { summary, curve, distribution } = await figuresOf(store, run);
    expect(summary).toMatchObject({ rows: 30, rollouts: 90, reasons: expected.reasons, steps: expected.steps });
    expect(summary.mean).toBeCloseTo(expected.mean ?? 0, 10);
    expect(summary.standardError).toBeCloseTo(expected.standardError, 10);
    expect(summary.passAt[1]).toBeCloseTo(passAt[1] ?? 0, 10);
    expect(curve.at(-1)?.running).toBeCloseTo(expected.mean ?? 0, 10);
    expect(distribution.reduce((sum, { count }) => sum + count, 0)).toBe(90);
  });

  test("are listed page by page in any order and with any filter, as a sort of all of them would", async () => {
    const store = await open();
    await play(store, "a");
    const all = await store.db.selectFrom("rollouts").selectAll().where("run", "=", "a").execute();
    const queries = fc.record({
      order: fc.constantFrom("index", "reward", "steps", "duration"),
      isDescending: fc.boolean(),
      limit: fc.integer({ min: 1, max: 30 }),
      reason: fc.option(fc.constantFrom("control_plane_signal", "error", "error: model"), { nil: undefined }),
      minReward: fc.option(
        fc.integer({ min: -4, max: 4 }).map((n) => n / 2),
        { nil: undefined },
      ),
      maxReward: fc.option(
        fc.integer({ min: -4, max: 4 }).map((n) => n / 2),
        { nil: undefined },
      ),
      text: fc.option(fc.constantFrom("seed_1", "SEED", "7", "x", " "), { nil: undefined }),
    }) as fc.Arbitrary<TraceQuery>;
    await fc.assert(
      fc.asyncProperty(queries, async (query) => {
        const found: RolloutRow[] = [];
        let after: string | undefined;
        do {
          const page = await pageOfTraces(store, "a", { ...query, after });
          expect(page.rows.length).toBeLessThanOrEqual(query.limit);
          found.push(...page.rows);
          after = page.next ?? undefined;
        } while (after !== undefined);
        expect(found.map(({ row_index }) => row_index)).toEqual(sorted(all, query).map(({ row_index }) => row_index));
        const at = Math.floor(found.length / 2);
        const row = found[at];
        if (!row) return;
        const { previous, next } = await neighboursOf(store, row, query);
        expect([previous?.rollout, next?.rollout]).toEqual([found[at - 1]?.rollout, found[at + 1]?.rollout]);
      }),
      runs(60),
    );
  });

  test("are resumed where they stopped: finished rollouts stay, others are forgotten", async () => {
    const store = await open();
    await play(store, "a", { count: 10 });
    const rollouts = store.db.updateTable("rollouts").where("run", "=", "a");
    await rollouts.set({ ended_at: null }).where("row_index", "=", 3).execute();
    await rollouts.set({ ending: "error: cancelled", ending_group: "error" }).where("row_index", "=", 4).execute();
    const finished = await finishedJobs(store, "a");
    expect([finished.size, finished.has("3/0"), finished.has("4/0")]).toEqual([8, false, false]);
    expect(await readTraces(store, "a")).toHaveLength(8);
    expect(await findRun(store, "a")).toMatchObject({ ended: 8, finished: 8, failed: 0 });
  });

  test("are named, tagged and deleted with everything that belongs to them", async () => {
    const store = await open();
    for (const run of ["a", "b"]) await play(store, run, { count: 3 });
    await describeRun(store, "a", { name: "baseline", tags: ["nightly", "50%_off", "nightly", '"\\'] });
    expect(await findRun(store, "a")).toMatchObject({ name: "baseline", tags: ["nightly", "50%_off", '"\\'] });
    expect((await listRuns(store, { tag: "50%_off" })).map(({ id }) => id)).toEqual(["a"]);
    expect((await listRuns(store, { tag: '"\\' })).map(({ id }) => id)).toEqual(["a"]);
    expect(await listRuns(store, { tag: "night" })).toEqual([]);
    await saveRun(store, { ...(await findRun(store, "a")), name: undefined });
    expect((await listRuns(store, { limit: 1 })).map(({ id }) => id)).toEqual(["b"]);
    await deleteRun(store, "a");
    expect((await listRuns(store)).map(({ id }) => id)).toEqual(["b"]);
    for (const table of ["rollouts", "trace_events"] as const)
      expect(await store.db.selectFrom(table).select("run").distinct().execute()).toEqual([{ run: "b" }]);
  });
});

/** What a list shows, computed from all rows. */
function sorted(rows: readonly RolloutRow[], query: TraceQuery): RolloutRow[] {
  const { order, isDescending, reason, minReward = -Infinity, maxReward = Infinity } = query;
  const text = query.text?.trim().toLowerCase() ?? "";
  const column = { index: "row_index", reward: "reward", steps: "steps", duration: "duration_ms" } as const;
  const matches = ({ reward, ending, row_id, seed, row_index }: RolloutRow) =>
    reward >= minReward &&
    reward <= maxReward &&
    (reason === undefined || ending === reason || ending.startsWith(`${reason}:`)) &&
    (text === "" || row_id.startsWith(text) || seed === text || String(row_index) === text);
  const compare = (one: RolloutRow, other: RolloutRow) =>
    one[column[order]] - other[column[order]] || one.row_index - other.row_index;
  return rows.filter(matches).sort((one, other) => (isDescending ? compare(other, one) : compare(one, other)));
}
