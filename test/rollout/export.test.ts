import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parquetReadObjects } from "hyparquet";
import { expect, test } from "vitest";
import { BiplaneError } from "biplane";
import { openStore } from "biplane/store";
import { frozenLake } from "../../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { scriptedAgent } from "../../packages/biplane/src/rollout/agent/scripted.ts";
import { fineTuningLines } from "../../packages/biplane/src/rollout/export/lines.ts";
import { writeTrackerFolder } from "../../packages/biplane/src/rollout/export/tracker-folder.ts";
import { ktoLines, sftLines } from "../../packages/biplane/src/rollout/export/training-lines.ts";
import { seedRows } from "../../packages/biplane/src/rollout/row.ts";
import type { Row } from "../../packages/biplane/src/rollout/row.ts";
import { scoreTraces, totalReward } from "../../packages/biplane/src/rollout/score/scorer.ts";
import { findRun } from "../../packages/biplane/src/store/runs/run.ts";
import { lakeMoves, playAll, solution } from "./playing.ts";

/** The first row passes, the second one does not, and the model of the third one fails. */
const agent = scriptedAgent(({ step }, { index }) => {
  if (index === 2) throw new BiplaneError("EXECUTION_ERROR", "The model is gone.", { details: { endpoint: "m" } });
  return index === 0 ? lakeMoves(solution)[step] : lakeMoves(["LEFT"])[step];
});

async function scored(rows: readonly Row[] = seedRows([42, 42, 42], { system: "Cross." })) {
  await using lake = frozenLake();
  const played = await playAll(lake, rows, { agent });
  return scoreTraces(
    played.map(({ trace }) => trace),
    totalReward,
  );
}

test("TRL gets prompts and completions, labels that say what passes, and nothing of masked rollouts", async () => {
  const all = await scored();
  expect(all.map(({ score }) => score.score)).toEqual([1, 0, null]);
  const [good, bad, ...more] = ktoLines(all) as { prompt: object[]; completion: object[]; label: boolean }[];
  expect([good?.label, bad?.label, more]).toEqual([true, false, []]);
  expect(good?.prompt).toMatchObject([{ role: "system", content: "Cross." }, { role: "user" }]);
  expect(good?.completion[0]).toMatchObject({ role: "assistant", tool_calls: [{ function: { name: "lake_move" } }] });
  expect(good?.completion.at(-1)).toMatchObject({ role: "assistant" });
  const { label: _, ...line } = good ?? expect.fail();
  expect(sftLines(all)).toEqual([line]);
  expect(JSON.stringify([good, bad])).not.toMatch(/control_plane|reward/);
});

test("examples in a row are part of the prompt, and have no weight in fine-tuning", async () => {
  const [row] = seedRows([42]);
  const example = [
    { role: "user", content: "An example." },
    { role: "assistant", content: "LEFT" },
    { role: "user", content: "Now you." },
  ];
  const all = await scored([{ ...(row ?? expect.fail()), messages: example }]);
  const [line] = sftLines(all) as { prompt: object[] }[];
  expect(line?.prompt).toEqual(example);
  const [tuned] = fineTuningLines(all) as { messages: { role: string; weight?: number }[] }[];
  const weights = tuned?.messages.filter(({ role }) => role === "assistant").map(({ weight }) => weight);
  expect(weights).toEqual([0, ...solution.map(() => undefined)]);
});

test.each([
  ["wandb", "log_to_wandb.py"],
  ["mlflow", "log_to_mlflow.py"],
] as const)("a run for %s is a folder with its figures, its rollouts and a script", async (tracker, script) => {
  const home = await mkdtemp(join(tmpdir(), "biplane-tracker-"));
  const folder = join(home, "run");
  await using store = await openStore(":memory:");
  await using lake = frozenLake();
  const played = await playAll(lake, seedRows([42, 42, 42]), { agent, store, run: "r1", name: "first", tags: ["a"] });
  const traces = played.map(({ trace }) => trace);
  const options = { tracker, run: await findRun(store, "r1"), scored: await scoreTraces(traces, totalReward) };
  expect(await writeTrackerFolder(folder, options)).toBe(script);
  expect((await readdir(folder)).sort()).toEqual([script, "rollouts.jsonl", "rollouts.parquet", "run.json"].sort());
  const run = JSON.parse(await readFile(join(folder, "run.json"), "utf8")) as { summary: object };
  expect(run).toMatchObject({ id: "r1", name: "first", tags: ["a"], config: { agent: "scripted", rows: 3 } });
  expect(run.summary).toMatchObject({ mean_score: 0.5, rollouts: 3, masked: 1, masked_model: 1, pass_at_1: 0.5 });
  const lines = (await readFile(join(folder, "rollouts.jsonl"), "utf8")).trim().split("\n");
  const rewards = lines.map((line) => JSON.parse(line) as { reward: unknown; masked: unknown });
  expect(rewards.map(({ reward, masked }) => [reward, masked])).toEqual([
    [1, false],
    [0, false],
    [null, true],
  ]);
  const bytes = await readFile(join(folder, "rollouts.parquet"));
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  expect((await parquetReadObjects({ file })).map(({ score }) => score as unknown)).toEqual([1, 0, null]);
  await expect(writeTrackerFolder(folder, options)).rejects.toThrow("already exists. Choose another folder.");
  await rm(home, { recursive: true });
});
