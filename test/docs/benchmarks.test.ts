import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { losses } from "../../bench/publish/losses.ts";
import { benchmarkPage } from "../../bench/publish/page.ts";
import { mergeParts, pageFile, readResults } from "../../bench/publish/results.ts";
import type { Results } from "../../bench/publish/results.ts";

const results = readResults() as Results;

test("docs/benchmarks.md is what the figures in bench/results give", () => {
  expect(readFileSync(pageFile, "utf8")).toBe(benchmarkPage(results));
});

test("the page shows every part, and says where a peer is absent or a run was quick", () => {
  const { ladder, lists, peers, latency, memory, steps, lander, durable, recovery } = results.parts;
  const all = [ladder, lists, peers, latency, memory, steps, lander, durable, recovery];
  expect(all.filter((part) => part === undefined)).toEqual([]);
  const page = benchmarkPage(results);
  for (const part of all)
    for (const { name, why } of part && "absent" in part ? part.absent : []) {
      const lines = page.split("\n").filter((line) => line.startsWith("Absent: "));
      expect(lines.some((line) => line.includes(name) && line.includes(why))).toBe(true);
    }
  expect(page.includes("quick run")).toBe(all.some((part) => part?.isQuick));
});

test("a loss is listed if a peer is better by more than 5 %, and only then", () => {
  const perCpuSecond = (theirs: number): Results => ({
    ...results,
    parts: {
      lander: {
        ...run,
        steps: 100,
        rows: [
          { server: "biplane", perCpuSecond: [100, 100, 100] },
          { server: "C++", perCpuSecond: [theirs, theirs, theirs] },
        ],
        absent: [],
      },
    },
  });
  expect(losses(perCpuSecond(104))).toEqual([]);
  expect(losses(perCpuSecond(200))).toEqual([
    "C++ makes ×2.00 the steps of our lunar lander for each second of CPU time.",
  ]);
});

test("a part that was measured again replaces the former one, and other machines start a new file", () => {
  const part = (seconds: number) => ({ ...run, seconds, rows: [], absent: [] });
  const before: Results = { ...results, parts: { memory: part(1), recovery: part(2) } };
  const now: Results = { ...results, parts: { memory: part(3) } };
  expect(mergeParts(before, now).parts).toEqual({ memory: part(3), recovery: part(2) });
  const elsewhere = { ...now, machine: { ...now.machine, cpu: "another" } };
  expect(mergeParts(before, elsewhere).parts).toEqual({ memory: part(3) });
  expect(mergeParts(undefined, now)).toBe(now);
});

const run = {
  measuredAt: "2026-01-01T00:00:00.000Z",
  commit: "0000000000",
  isModified: false,
  isQuick: false,
  loadAverage: 0,
  seconds: 1,
};
