import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { frozenLake } from "../../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { scriptedAgent } from "../../packages/biplane/src/rollout/agent/scripted.ts";
import {
  evalProtocolLines,
  fineTuningLines,
  openaiLines,
  preferenceLines,
} from "../../packages/biplane/src/rollout/export/lines.ts";
import { rolloutCsv, rolloutParquet } from "../../packages/biplane/src/rollout/export/rollout-table.ts";
import { writeRunFolder } from "../../packages/biplane/src/rollout/export/run-folder.ts";
import { parseRows, seedRows } from "../../packages/biplane/src/rollout/row.ts";
import { findRun } from "../../packages/biplane/src/store/runs/run.ts";
import { readTraces } from "../../packages/biplane/src/store/runs/rollouts.ts";
import { compareRuns } from "../../packages/biplane/src/rollout/score/compare.ts";
import { scoreTraces, success, totalReward } from "../../packages/biplane/src/rollout/score/scorer.ts";
import type { ScoredTrace } from "../../packages/biplane/src/rollout/score/scorer.ts";
import { exactMatch, modelJudge, pairwiseJudge, rubric } from "../../packages/biplane/src/rollout/score/scorers.ts";
import {
  estimate,
  passAt,
  shortfall,
  summarize,
  summarizeFacts,
} from "../../packages/biplane/src/rollout/score/summary.ts";
import type { Trace } from "../../packages/biplane/src/rollout/trace.ts";
import { openStore } from "biplane/store";
import { lakeMoves, playAll, solution } from "./playing.ts";

test("mean, standard error and interval are those of the books", () => {
  const { mean, standardError, interval } = estimate([1, 2, 3, 4, 5]);
  expect([mean, standardError]).toEqual([3, Math.sqrt(0.5)]);
  expect(Number(interval?.[1]) - 3).toBeCloseTo(2.776 * Math.sqrt(0.5), 6);
  const many = estimate(Array.from({ length: 31 }, (_, at) => at % 2));
  expect((Number(many.interval?.[1]) - Number(many.mean)) / many.standardError).toBeCloseTo(2.0423, 3); // t of 30
  const few = estimate(Array.from({ length: 12 }, (_, at) => at));
  expect((Number(few.interval?.[1]) - Number(few.mean)) / few.standardError).toBeCloseTo(2.201, 2); // t of 11
  expect(estimate([7])).toEqual({ mean: 7, standardError: 0, interval: [7, 7] });
});

test("pass@k is what drawing k of n without putting back gives", () => {
  const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n - 1, k - 1) * n) / k);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.nat(20), fc.integer({ min: 1, max: 20 }), (n, wanted, k) => {
      fc.pre(k <= n);
      const c = Math.min(n, wanted);
      const exact = n - c < k ? 1 : 1 - choose(n - c, k) / choose(n, k);
      expect(passAt(k, n, c)).toBeCloseTo(exact, 9);
    }),
  );
});

test("rows are the sample: repetitions of a row are averaged before they count", async () => {
  const scored = await play(({ index, repetition }) => index === 0 || repetition === 0, { rows: 2, repetitions: 2 });
  const summary = summarize(scored);
  expect([summary.rows, summary.rollouts, summary.mean, summary.standardError]).toEqual([2, 4, 0.75, 0.25]);
  expect(summary.passAt).toEqual({ 1: 0.75, 2: 1 });
  expect(summary.reasons).toEqual({ control_plane_signal: 3, stop: 1 });
});

test("the interval of scores of 0 and 1 stays within them, and is one even if each rollout passes", () => {
  const scores = (values: readonly number[], repetitions = 1) =>
    summarizeFacts(values.map((score, at) => ({ ...plainFacts, index: Math.floor(at / repetitions), score }))).interval;
  const passes = Array.from({ length: 17 }, (_, at) => (at === 3 ? 0 : 1));
  const [low = NaN, high = NaN] = scores(passes) ?? [];
  expect([low, high].map((each) => each.toFixed(3))).toEqual(["0.730", "0.990"]); // Wilson of 16 in 17
  expect(scores(Array.from({ length: 10 }, () => 1))?.map((each) => each.toFixed(3))).toEqual(["0.722", "1.000"]);
  // Alike rollouts of a row say no more than one.
  const alike = [1, 0, 1, 1, 0, 1];
  const doubled = alike.flatMap((each) => [each, each]);
  expect(Number(scores(doubled, 2)?.[0])).toBeCloseTo(Number(scores(alike)?.[0]), 1);
  expect(Number(scores([0, 1, 2, 2])?.[1])).toBeGreaterThan(2);
});

const plainFacts = { isValid: true, reason: "stop", steps: 1, controlFailures: 0, tokens: 0, cost: undefined };

test("a rollout passes with a score above 0, or with at least the score that was asked for", () => {
  const facts = [0, 0.25, 0.5, 1].map((score, index) => ({ ...plainFacts, index, score }));
  expect(summarizeFacts(facts)).toMatchObject({ pass: null, passAt: { 1: 0.75 } });
  expect(summarizeFacts(facts, { pass: 0.5 })).toMatchObject({ pass: 0.5, passAt: { 1: 0.5 } });
  expect(summarizeFacts(facts, { pass: 0 })).toMatchObject({ pass: 0, passAt: { 1: 1 } });
});

test("the standard error of large rewards that hardly differ keeps its digits", () => {
  expect(estimate([1e9, 1e9 + 1, 1e9 + 2]).standardError).toBeCloseTo(Math.sqrt(1 / 3), 12);
});

test("a threshold that is not reached says why", async () => {
  const summary = summarize(await play(({ index }) => index > 0, { rows: 4 }));
  expect(shortfall(summary, { success: 0.75 })).toBeUndefined();
  expect(shortfall(summary, { success: 0.8 })).toBe("The mean score 0.75 is below 0.8.");
  expect(shortfall(summary, { success: 0.5, standardError: 0.1 })).toBe("The standard error 0.25 is above 0.1.");
});

test("two runs are compared row by row", async () => {
  const first = await play(({ index }) => index === 0, { rows: 4 });
  const second = await play(({ index }) => index !== 1, { rows: 5 });
  const { rows, better, worse, equal, difference, onlySecond } = compareRuns(first, second);
  expect(rows.map((row) => row.difference)).toEqual([0, 0, 1, 1]);
  expect([better, worse, equal, difference.mean]).toEqual([2, 0, 2, 0.5]);
  expect(onlySecond).toEqual(["seed_42#4"]);
});

test("a scorer that throws, or gives no number, gives a score that is not valid", async () => {
  const [scored] = await play(() => true, { rows: 1 });
  const trace = scored?.trace ?? expect.fail();
  const judged = await scoreTraces([trace, trace], () => Number.NaN);
  expect(judged[0]?.score).toMatchObject({ score: null, isValid: false, reason: expect.stringContaining("finite") });
  expect(summarize(judged).invalidScores).toBe(2);
});

test("scorers: success, exact match, rubric", async () => {
  await using lake = frozenLake();
  const rows = [{ messages: [{ role: "user", content: "What is 6 times 7?" }], ground_truth: "42" }];
  const [row] = await playAll(lake, rows, { agent: scriptedAgent([" 42\n"]) });
  const trace = row?.trace ?? expect.fail();
  expect(await exactMatch()(trace)).toMatchObject({ score: 1 });
  expect(await exactMatch({ expected: () => "41" })(trace)).toEqual({ score: 0, reason: "Expected 41, got 42." });
  expect(await success(trace)).toBe(0);
  const both = rubric({ right: { weight: 3, scorer: exactMatch() }, quick: { scorer: () => 0.5 } });
  expect(await both(trace)).toMatchObject({ score: 0.875, metrics: { right: { score: 1 }, quick: { score: 0.5 } } });
});

test("a model judges, and one that cannot be understood gives no score", async () => {
  const [scored] = await play(() => true, { rows: 1 });
  const trace = scored?.trace ?? expect.fail();
  const heard: string[] = [];
  const says = (text: string) => async (messages: readonly { content?: unknown }[]) => {
    heard.push(JSON.stringify(messages));
    return { text };
  };
  const judge = modelJudge(says('Well: {"score": 0.8, "reason": "Neat"}'), { criteria: "Be strict." });
  expect(await judge(trace)).toEqual({ score: 0.8, reason: "Neat" });
  expect(heard[0]).toContain("lake_move");
  expect(heard[0]).not.toContain("reward");
  const [confused] = await scoreTraces([trace], modelJudge(says("Hm."), { criteria: "" }));
  expect(confused?.score).toMatchObject({ isValid: false });
  const [beyond] = await scoreTraces([trace], modelJudge(says('{"score": 5}'), { criteria: "" }));
  expect(beyond?.score).toMatchObject({ isValid: false });
});

test("one rollout with odd numbers or texts does not spoil the table of all", async () => {
  const [scored] = await play(() => true, { rows: 1 });
  const { trace, score } = scored ?? expect.fail();
  const odd = (tokens: number, reason: string) => {
    const usage = { ...trace.usage, total_tokens: tokens };
    return { trace: { ...trace, usage }, score: { ...score, reason } };
  };
  const records = [odd(1e300, "=1+1"), odd(1.5, "\n=1+1"), odd(Number.NaN, "@a"), odd(-1, "fine")];
  expect((await rolloutParquet(records)).byteLength).toBeGreaterThan(100);
  const csv = rolloutCsv(records);
  for (const tokens of [2 ** 31 - 1, 1, 0]) expect(csv).toContain(`,${tokens},`);
  for (const reason of [",'=1+1,", `,"'\n=1+1",`, ",'@a,", ",fine,"]) expect(csv).toContain(reason);
});

test("a judge's reply is read in linear time, and only a short reason is kept", async () => {
  const [scored] = await play(() => true, { rows: 1 });
  const trace = scored?.trace ?? expect.fail();
  const judged = (text: string) =>
    scoreTraces(
      [trace],
      modelJudge(async () => ({ text }), { criteria: "" }),
    );
  const [endless] = await judged("{".repeat(2_000_000));
  expect(endless?.score).toMatchObject({ isValid: false });
  const [deep] = await judged(`{"score": ${"[".repeat(100_000)}${"]".repeat(100_000)}}`);
  expect(deep?.score).toMatchObject({ isValid: false });
  const [long] = await judged(JSON.stringify({ score: 1, reason: "x".repeat(1_000_000) }));
  expect(long?.score).toEqual({ score: 1, reason: "x".repeat(2000) });
});

test("a judge that always prefers what comes first finds neither better", async () => {
  const [one, other] = await play(({ index }) => index === 0, { rows: 2 });
  const traces = [one?.trace ?? expect.fail(), other?.trace ?? expect.fail()] as const;
  const biased = pairwiseJudge(async () => ({ text: '{"better":"A"}' }), { criteria: "" });
  expect(await biased(...traces)).toEqual({ score: 0.5, reason: "Neither is better." });
  const fair = pairwiseJudge(
    async (messages) => {
      const [a = "", b = ""] = JSON.stringify(messages[1]?.content).split(String.raw`\n\nB:`);
      return { text: JSON.stringify({ better: a.length > b.length ? "A" : "B" }) };
    },
    { criteria: "The longer the better." },
  );
  expect(await fair(...traces)).toEqual({ score: 1, reason: "The first is better." });
});

test("exports: conversations without anything of ours, rows that read back, what to learn from, pairs", async () => {
  const scored = await play(({ repetition }) => repetition === 1, { rows: 2, repetitions: 2 });
  const conversations = openaiLines(scored);
  expect(JSON.stringify(conversations)).not.toMatch(/reward|control_plane|metadata/);
  expect(conversations[1]).toMatchObject({ tools: [{ function: { name: "lake_move" } }] });
  const rows = parseRows(
    evalProtocolLines(scored)
      .map((line) => JSON.stringify(line))
      .join("\n"),
  );
  expect(rows.map((row) => (row["evaluation_result"] as { score: number }).score)).toEqual([0, 1, 0, 1]);
  const status = { code: 100, status: "finished", termination_reason: "control_plane_signal" };
  expect(rows[1]?.["rollout_status"]).toMatchObject(status);
  const lessons = fineTuningLines(scored);
  expect(lessons).toHaveLength(2);
  expect((lessons[0] as { messages: { role: string }[] }).messages.at(-1)?.role).toBe("assistant");
  const pairs = preferenceLines(scored);
  expect(pairs).toHaveLength(2);
  expect(pairs[0]).toMatchObject({
    prompt: [{ role: "user" }],
    rejected: [{ role: "assistant", content: "I give up." }],
  });
  expect(pairs[0]?.["chosen"]).toHaveLength(11);
});

test("a run's folder is whole, says what it is, and is never overwritten", async () => {
  const folder = await mkdtemp(join(tmpdir(), "biplane-export-"));
  await using store = await openStore(":memory:");
  await using lake = frozenLake();
  await playAll(lake, seedRows([42, 42]), { agent: scriptedAgent(lakeMoves(solution)), store, run: "a" });
  const scored = await scoreTraces(await readTraces(store, "a"), totalReward);
  const target = join(folder, "run");
  await writeRunFolder(target, { run: await findRun(store, "a"), scored });
  const manifest = JSON.parse(await readFile(join(target, "manifest.json"), "utf8")) as {
    files: Record<string, { sha256: string; lines: number }>;
    seeds: object;
    summary: object;
  };
  expect((await readdir(target)).sort()).toEqual([...Object.keys(manifest.files), "manifest.json"].sort());
  for (const [name, { sha256, lines }] of Object.entries(manifest.files)) {
    const text = await readFile(join(target, name), "utf8");
    expect(createHash("sha256").update(text).digest("hex")).toBe(sha256);
    expect(text.split("\n").length - 1).toBe(lines);
  }
  expect(manifest).toMatchObject({ seeds: { "seed_42/0": "42" }, summary: { mean: 1 } });
  await expect(writeRunFolder(target, { run: await findRun(store, "a"), scored })).rejects.toThrow("already exists");
  expect(await readdir(folder)).toEqual(["run"]);
  await rm(folder, { recursive: true });
});

test("traces come back from the store as they were played", async () => {
  await using store = await openStore(":memory:");
  await using lake = frozenLake();
  const rows = await playAll(lake, seedRows([42, 42, 42]), {
    agent: scriptedAgent(lakeMoves(solution)),
    store,
    run: "a",
    repetitions: 2,
  });
  const byJob = (a: Trace, b: Trace) => a.index - b.index || a.repetition - b.repetition;
  const kept = (await readTraces(store, "a")).sort(byJob);
  const played = rows.map(({ trace }) => trace).sort(byJob);
  expect(kept).toEqual(JSON.parse(JSON.stringify(played)));
  expect(await findRun(store, "a")).toMatchObject({
    status: "finished",
    rows: 3,
    repetitions: 2,
    target: "frozen-lake",
  });
});

interface Which {
  readonly index: number;
  readonly repetition: number;
}

/** Rows of one lake of which some are solved and the others given up. */
async function play(
  isSolved: (which: Which) => boolean,
  size: { rows: number; repetitions?: number },
): Promise<ScoredTrace[]> {
  await using lake = frozenLake();
  const agent = scriptedAgent(({ step }, slot) => (isSolved(slot) ? lakeMoves(solution)[step] : "I give up."));
  const seeds = Array.from({ length: size.rows }, () => 42);
  const rows = await playAll(lake, seedRows(seeds), { agent, repetitions: size.repetitions ?? 1 });
  return scoreTraces(
    rows.map(({ trace }) => trace),
    totalReward,
  );
}
