import fc from "fast-check";
import { expect, test } from "vitest";
import { LatencyHistogram } from "../../packages/biplane/src/admin/calls/latency-histogram.ts";
import {
  pruneStatistics,
  readStatistics,
  saveStatistics,
  statisticsSpans,
} from "../../packages/biplane/src/store/call-statistics.ts";
import type { SqlStore } from "../../packages/biplane/src/store/sql-store.ts";
import type { CallStatisticsRow } from "../../packages/biplane/src/store/tables.ts";
import { describeEngines } from "../support/each-engine.ts";
import { runs } from "../support/runs.ts";

const { minute, hour } = statisticsSpans;

function row(start: number, more: Partial<CallStatisticsRow> = {}): CallStatisticsRow {
  const facts = {
    kind: "tool" as const,
    server: "shop",
    name: "echo",
    source: "one",
    calls: 3,
    failed: 1,
    refused: 1,
    asked: 1,
    invalid: 0,
    waited: 0,
  };
  return { span: minute, start, ...facts, run_ms: "[10,3]", wait_ms: "[]", ...more };
}

async function read(store: SqlStore, query: Parameters<typeof readStatistics>[1]): Promise<CallStatisticsRow[]> {
  const found: CallStatisticsRow[] = [];
  for await (const rows of readStatistics(store, query)) found.push(...rows);
  return found;
}

describeEngines("statistics of calls", ({ open }) => {
  test("a process replaces its own rows, and those of others stay", async () => {
    const store = await open();
    await saveStatistics(store, [row(0), row(0, { source: "two" }), row(minute)]);
    await saveStatistics(store, [row(0, { calls: 9, run_ms: "[10,9]" })]);
    const found = await read(store, { span: minute, kind: "tool", from: 0 });
    expect(found.map(({ start, source, calls }) => [start, source, calls])).toEqual([
      [0, "one", 9],
      [0, "two", 3],
      [minute, "one", 3],
    ]);
    expect(await read(store, { span: minute, kind: "tool", from: minute })).toHaveLength(1);
    expect(await read(store, { span: hour, kind: "tool", from: 0 })).toEqual([]);
  });

  test("more rows than a page are read in order, each once", async () => {
    const store = await open();
    const all = Array.from({ length: 4500 }, (_, at) => row(minute * (at % 3), { name: String(at).padStart(5, "0") }));
    await saveStatistics(store, all);
    const found = await read(store, { span: minute, kind: "tool", from: 0 });
    expect(found).toHaveLength(4500);
    expect(new Set(found.map(({ start, name }) => `${start} ${name}`)).size).toBe(4500);
  });

  test("old intervals are deleted, short ones first, and none is kept longer than the calls", async () => {
    const store = await open();
    const now = 100 * 86_400_000;
    const old = { minute: now - 2 * 86_400_000, hour: now - 10 * 86_400_000 };
    await saveStatistics(store, [row(old.minute), row(now), row(old.hour, { span: hour })]);
    await pruneStatistics(store, { now });
    expect(await read(store, { span: minute, kind: "tool", from: 0 })).toHaveLength(1);
    expect(await read(store, { span: hour, kind: "tool", from: 0 })).toHaveLength(1);
    await pruneStatistics(store, { now, keepMs: 86_400_000 });
    expect(await read(store, { span: hour, kind: "tool", from: 0 })).toEqual([]);
  });
});

test("quantiles of a histogram are right to 10 %, also when it was stored in parts", () => {
  const durations = fc.array(fc.double({ min: 0.02, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(durations, fc.constantFrom(0.5, 0.95, 0.99), (values, share) => {
      const [one, other] = [new LatencyHistogram(), new LatencyHistogram()];
      for (const [at, ms] of values.entries()) (at % 2 === 0 ? one : other).add(ms);
      one.mergeStored(other.stored());
      const sorted = values.toSorted((a, b) => a - b);
      const exact = sorted[Math.max(1, Math.ceil(values.length * share)) - 1] ?? 0;
      expect(Math.abs((one.quantile(share) ?? 0) - exact)).toBeLessThanOrEqual(exact * 0.1);
    }),
    runs(200),
  );
  expect(new LatencyHistogram().quantile(0.5)).toBeNull();
});
