import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { fileURLToPath } from "node:url";
import { sqliteStore } from "biplane/sqlite";
import fc from "fast-check";
import { expect, test } from "vitest";
import { blackjack } from "../../src/gallery/blackjack/blackjack.ts";
import { frozenLake } from "../../src/gallery/frozen-lake/frozen-lake.ts";
import { randomAgent } from "../../src/rollout/agent/random.ts";
import { scriptedAgent } from "../../src/rollout/agent/scripted.ts";
import { curveOf, distributionOf } from "../../src/rollout/run-figures.ts";
import { findRun, readTraces, saveRun } from "../../src/rollout/run.ts";
import { RunIndex } from "../../src/rollout/run-index.ts";
import { RunShelf } from "../../src/rollout/run-shelf.ts";
import { seedRows } from "../../src/rollout/row.ts";
import { scoreTraces, totalReward } from "../../src/rollout/score/scorer.ts";
import { summarize } from "../../src/rollout/score/summary.ts";
import type { Trace } from "../../src/rollout/trace.ts";
import { indexLogOf, logOf, readEvent } from "../../src/rollout/trace-index.ts";
import { pageOfTraces } from "../../src/rollout/trace-list.ts";
import type { TraceQuery } from "../../src/rollout/trace-list.ts";
import { TraceWriter } from "../../src/rollout/trace-writer.ts";
import { reasonWord } from "../../src/rollout/trace-summary.ts";
import type { Store } from "../../src/store/store.ts";
import { countingStore } from "../desk/run-house.ts";
import { ModelServer, walker } from "./model-server.ts";
import { playAll, solution } from "./playing.ts";

const seeds = (count: number) => Array.from({ length: count }, (_, at) => at);

async function indexOf(store: Store, run: string): Promise<RunIndex> {
  const index = new RunIndex(store, run);
  await index.refresh({ isPlayed: false });
  return index;
}

/** What the index says of every rollout that counts, by job. */
function told({ columns, messages }: RunIndex): unknown[] {
  return Array.from(columns.rollout.keys())
    .filter((row) => columns.isCounted[row])
    .map((row) => ({
      job: [columns.index[row], columns.repetition[row]],
      rollout: columns.rollout[row],
      rowId: columns.rowId[row],
      seed: columns.seed[row],
      steps: columns.steps[row],
      reward: columns.reward[row],
      reason: columns.reason[row],
      message: messages.get(row),
      startedAt: new Date(columns.startedAt[row] ?? 0).toISOString(),
      durationMs: columns.durationMs[row],
    }))
    .sort((one, other) => (String(one.job) < String(other.job) ? -1 : 1));
}

/** The same from whole traces. */
function toldBy(traces: readonly Trace[]): unknown[] {
  return traces
    .map(({ index, repetition, rollout, rowId, seed, steps, totalReward: reward, ending, startedAt, durationMs }) => ({
      job: [index, repetition],
      rollout,
      rowId,
      seed,
      steps: steps.length,
      reward,
      reason: reasonWord(ending),
      message: ending.message,
      startedAt,
      durationMs: Math.round(durationMs * 1000) / 1000,
    }))
    .sort((one, other) => (String(one.job) < String(other.job) ? -1 : 1));
}

test("the index says what the traces say, and each trace is found by it without reading another", async () => {
  await using store = countingStore(sqliteStore(":memory:"));
  await using lake = frozenLake();
  const options = { agent: randomAgent(), store, run: "a", repetitions: 2, concurrency: 16, steps: 12 };
  await playAll(lake, seedRows(seeds(40)), options);
  const traces = await readTraces(store, "a");
  const index = await indexOf(store, "a");
  expect(told(index)).toEqual(toldBy(traces));
  for (const trace of traces.slice(0, 10)) {
    store.rows = 0;
    const opened = await index.open(index.find(trace.rollout) ?? -1);
    expect(opened).toEqual(trace);
    expect(store.rows).toBe(1 + trace.steps.length + 2); // a line of the index, the begin, the steps, the end
  }
  const scored = await scoreTraces(traces, totalReward);
  const { summary } = (await new RunShelf(store).open(await findRun(store, "a"))).figures();
  expect(summary.mean).toBeCloseTo(summarize(scored).mean, 10);
  expect({ ...summary, mean: 0, standardError: 0, interval: [0, 0] }).toEqual({
    ...summarize(scored),
    mean: 0,
    standardError: 0,
    interval: [0, 0],
  });
});

test("what a run came to is known from two lines, and is the same as counted", async () => {
  await using store = countingStore(sqliteStore(":memory:"));
  await using lake = frozenLake();
  const agent = scriptedAgent(({ step }) => {
    if (step > 2) throw new Error("the model is gone");
    return { name: "lake_move", input: { action: "LEFT" } };
  });
  await playAll(lake, seedRows(seeds(20)), { agent, store, run: "failing" });
  await playAll(lake, seedRows(seeds(20)), { agent: randomAgent(), store, run: "fine" });
  const shelf = new RunShelf(store);
  const failing = await findRun(store, "failing");
  store.rows = 0;
  expect(await shelf.totals(failing)).toEqual({ rollouts: 20, finished: 20, failed: 20, reward: 0, squares: 0 });
  expect(store.rows).toBe(2);
  const traces = await readTraces(store, "fine");
  const reward = traces.reduce((sum, trace) => sum + trace.totalReward, 0);
  const squares = traces.reduce((sum, trace) => sum + trace.totalReward ** 2, 0);
  expect(await shelf.totals(await findRun(store, "fine"))).toEqual({
    rollouts: 20,
    finished: 20,
    failed: 0,
    reward,
    squares,
  });
});

test("a run that was recorded without an index gets it once, and a line that nobody can read is no harm", async () => {
  await using store = countingStore(sqliteStore(":memory:"));
  await using game = blackjack();
  await playAll(game, seedRows(seeds(300)), { agent: randomAgent(), store, run: "new" });
  const lines = await allLines(store, logOf("new"));
  await store.append(logOf("old"), [
    "no JSON",
    "[]",
    '{"type":"end","rollout":"nobody"}',
    ...lines.map(({ line }) => line),
  ]);
  const [old, fresh] = [await indexOf(store, "old"), await indexOf(store, "new")];
  expect(told(old)).toEqual(told(fresh));
  expect(old.totals).toEqual(fresh.totals);
  const [trace] = await readTraces(store, "new");
  expect(await old.open(old.find(trace?.rollout ?? "") ?? -1)).toEqual(trace);
  store.rows = 0;
  expect(told(await indexOf(store, "old"))).toEqual(told(fresh));
  expect(store.rows).toBeLessThanOrEqual(3); // two lines of 200 summaries at most each, and the end of the events
});

test("killed half way, the index is made up for; resumed, a row counts once", async () => {
  const count = 24;
  const folder = await mkdtemp(join(tmpdir(), "biplane-index-"));
  const file = join(folder, "runs.db");
  await using server = await ModelServer.open({ say: walker(solution) });
  const start = (...more: string[]) => {
    const program = fileURLToPath(new URL("resume-child.ts", import.meta.url));
    const words = ["--import", "tsx", "--conditions=biplane-source", program, file, server.baseUrl, String(count)];
    return spawn(process.execPath, [...words, ...more], { stdio: ["ignore", "pipe", "inherit"] });
  };
  const first = start();
  let finished = 0;
  for await (const _ of createInterface(first.stdout)) if (++finished === 8) first.kill("SIGKILL");
  if (first.exitCode === null && first.signalCode === null) await once(first, "exit");
  {
    await using store = sqliteStore(file);
    const run = await findRun(store, "the-run");
    const { index } = await new RunShelf(store).open(run);
    const traces = await readTraces(store, "the-run");
    expect(toldBy(traces).length).toBeGreaterThan(8); // some were under way
    expect(told(index)).toEqual(toldBy(traces));
    expect(index.totals).toMatchObject({ rollouts: traces.length });
    expect(index.totals.finished).toBeGreaterThanOrEqual(8);
    for (const trace of traces) expect(await index.open(index.find(trace.rollout) ?? -1)).toEqual(trace);
  }
  const second = start("resume");
  for await (const _ of createInterface(second.stdout)) finished++;
  if (second.exitCode === null && second.signalCode === null) await once(second, "exit");
  await using store = sqliteStore(file);
  const index = await indexOf(store, "the-run");
  expect(told(index)).toEqual(toldBy(await readTraces(store, "the-run")));
  expect(index.totals).toEqual({ rollouts: count, finished: count, failed: 0, reward: count, squares: count });
  await rm(folder, { recursive: true });
}, 40_000);

test("one that was under way when another ended last is not forgotten", async () => {
  await using store = sqliteStore(":memory:");
  await using game = blackjack();
  await playAll(game, seedRows([1, 2]), { agent: randomAgent(), store, run: "whole" });
  const events = (await allLines(store, logOf("whole"))).flatMap((line) => readEvent(line) ?? []);
  const [one, other] = new Set(events.map(({ rollout }) => rollout));
  const writer = new TraceWriter({ store, run: "cut" });
  for (const event of events) if (event.rollout === other && event.type === "begin") writer.write(event);
  for (const event of events) if (event.rollout === one) writer.write(event);
  await writer.close();
  await saveRun(store, { ...(await findRun(store, "whole")), id: "cut", status: "cancelled" });
  const cut = await findRun(store, "cut");
  expect(await new RunShelf(store).peek(cut)).toBeUndefined();
  expect(await new RunShelf(store).totals(cut)).toMatchObject({ rollouts: 2, finished: 1, failed: 1 });
  expect(await new RunShelf(store).peek(cut)).toMatchObject({ rollouts: 2, finished: 1, failed: 1 });
  expect(told(await indexOf(store, "cut"))).toEqual(toldBy(await readTraces(store, "cut")));
});

test("two who make up for the same index at once write it once", async () => {
  await using store = sqliteStore(":memory:");
  await using game = blackjack();
  await playAll(game, seedRows(seeds(30)), { agent: randomAgent(), store, run: "new" });
  await store.append(
    logOf("old"),
    (await allLines(store, logOf("new"))).map(({ line }) => line),
  );
  const [one, other] = await Promise.all([indexOf(store, "old"), indexOf(store, "old")]);
  expect(told(one)).toEqual(told(other));
  expect(one.size).toBe(30);
  expect(await allLines(store, indexLogOf("old"))).toHaveLength(1);
});

test("only so many summaries are kept in memory, and those that were let go are read again", async () => {
  await using store = countingStore(sqliteStore(":memory:"));
  await using game = blackjack();
  for (const run of ["a", "b", "c"]) await playAll(game, seedRows(seeds(10)), { agent: randomAgent(), store, run });
  const [a, b, c] = await Promise.all(["a", "b", "c"].map((run) => findRun(store, run)));
  if (!a || !b || !c) return expect.fail("a run is gone");
  const shelf = new RunShelf(store, { mostTraces: 20 });
  const kept = await shelf.open(a);
  await shelf.open(b);
  expect(await shelf.open(a)).toBe(kept);
  await shelf.open(c);
  expect(await shelf.open(a)).toBe(kept);
  store.rows = 0;
  expect((await shelf.open(b)).index.size).toBe(10);
  expect(store.rows).toBeGreaterThan(1);
  const small = new RunShelf(store, { mostTraces: 1 });
  expect((await small.open(c)).index.size).toBe(10);
  return undefined;
});

test("pages in any order and through any filter are the sorted list, cut", async () => {
  await using store = sqliteStore(":memory:");
  await using game = blackjack();
  await playAll(game, seedRows(seeds(60)), { agent: randomAgent(), store, run: "a", repetitions: 3, steps: 2 });
  const { index } = await new RunShelf(store).open(await findRun(store, "a"));
  const { columns } = index;
  const column = { index: "index", reward: "reward", steps: "steps", duration: "durationMs" } as const;
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        order: fc.constantFrom("index" as const, "reward" as const, "steps" as const, "duration" as const),
        isDescending: fc.boolean(),
        limit: fc.integer({ min: 1, max: 50 }),
        reason: fc.constantFrom(undefined, "max_steps", "control_plane_signal", "error"),
        least: fc.constantFrom(undefined, 0, 1),
        most: fc.constantFrom(undefined, 0, -1),
        text: fc.constantFrom(undefined, "SEED_1", "17", "nothing"),
      }),
      async (query: TraceQuery) => {
        const found: number[] = [];
        for (let after: string | undefined; ;) {
          const { rows, next } = pageOfTraces(index, { ...query, after });
          found.push(...rows);
          if (next === null) break;
          expect(rows).toHaveLength(query.limit);
          after = next;
        }
        const { least = -Infinity, most = Infinity, reason, text = "" } = query;
        const value = (row: number) => [
          columns[column[query.order]][row] ?? 0,
          columns.index[row] ?? 0,
          columns.repetition[row] ?? 0,
        ];
        const compare = (one: number[], other: number[]) => {
          const at = one.findIndex((each, place) => each !== other[place]);
          return at < 0 ? 0 : (one[at] ?? 0) - (other[at] ?? 0);
        };
        const expected = Array.from(columns.rollout.keys())
          .filter((row) => {
            const [reward = 0, rowId = "", number] = [columns.reward[row], columns.rowId[row], columns.index[row]];
            const isNamed = rowId.includes(text.toLowerCase()) || columns.seed[row] === text || String(number) === text;
            return (
              reward >= least && reward <= most && (reason === undefined || columns.reason[row] === reason) && isNamed
            );
          })
          .sort((one, other) => compare(value(one), value(other)) * (query.isDescending ? -1 : 1));
        expect(found).toEqual(expected);
      },
    ),
  );
  const wrong = { order: "index", isDescending: false, limit: 1 } as const;
  for (const after of ["", "x", "1_2", "1_2_3_4", "NaN_0_0", "<script>"])
    expect(() => pageOfTraces(index, { ...wrong, after })).toThrow("after must be what the page before gave as next");
});

test("every reward is in one bin, and the last point of a curve is the mean of all", () => {
  const rewards = fc.array(
    fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer({ min: -3, max: 3 })),
    { minLength: 1, maxLength: 500 },
  );
  fc.assert(
    fc.property(rewards, (values) => {
      const bins = distributionOf(values);
      expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(values.length);
      expect(bins.length).toBeLessThanOrEqual(22);
      expect(bins.every(({ from, to }) => Number.isFinite(from) && to >= from)).toBe(true);
      const curve = curveOf(values);
      expect(curve.length).toBe(Math.min(200, values.length));
      expect(curve.at(-1)?.rollouts).toBe(values.length);
    }),
  );
  expect(distributionOf([0, 1, 1, 0.5])).toEqual([
    { from: 0, to: 0, count: 1 },
    { from: 0.5, to: 0.5, count: 1 },
    { from: 1, to: 1, count: 2 },
  ]);
  expect(distributionOf(seeds(100)).slice(0, 2)).toEqual([
    { from: 0, to: 5, count: 5 },
    { from: 5, to: 10, count: 5 },
  ]);
  expect(curveOf([1, 0, 0, 1])).toEqual([
    { rollouts: 1, reward: 1, running: 1 },
    { rollouts: 2, reward: 0, running: 0.5 },
    { rollouts: 3, reward: 0, running: 1 / 3 },
    { rollouts: 4, reward: 1, running: 0.5 },
  ]);
});

async function allLines(store: Store, log: string) {
  const all = [];
  for (let after = 0; ;) {
    const page = await store.read(log, { after });
    const last = page.at(-1);
    if (!last) return all;
    all.push(...page);
    after = last.sequence;
  }
}
