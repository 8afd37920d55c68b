import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runIn } from "../cli/command.ts";
import { ModelServer, walker } from "./model-server.ts";
import type { Asked } from "./model-server.ts";
import { solution } from "./playing.ts";

const data = fileURLToPath(new URL("data/datasets/", import.meta.url));
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "biplane-cli-data-"));
});
afterAll(() => rm(folder, { recursive: true }));

const biplane = (...words: readonly string[]) => runIn(folder, words);

test("rows come from a CSV file, and from a split of a saved dataset", async () => {
  await writeFile(join(folder, "rows.csv"), "id,seed,answer\nfirst,42,yes\nsecond,7,no\nthird,x,\n");
  const played = await biplane("rollout", "frozen-lake", "--rows", "rows.csv", "-n", "2", "--agent", "random");
  expect([played.code, played.stdout]).toEqual([0, expect.stringMatching(/rollouts +2 of 2/)]);
  const failed = await biplane("rollout", "frozen-lake", "--rows", "rows.csv");
  expect([failed.code, failed.stderr]).toEqual([
    1,
    expect.stringContaining('rows.csv, line 4, column seed: A seed must be an integer, not "x".'),
  ]);
  const splits = ["--rows", join(data, "splits"), "--split"];
  const saved = await biplane("rollout", "frozen-lake", ...splits, "train", "--agent", "random");
  expect([saved.code, saved.stdout]).toEqual([0, expect.stringMatching(/rollouts +2 of 2/)]);
  expect((await biplane("rollout", "frozen-lake", ...splits, "dev")).stderr).toContain("are train, test.");
}, 60_000);

test("a model's tokens and costs are in the trace and in the exports", async () => {
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const walk = walker(solution);
  const say = (asked: Asked) => ({ ...walk(asked), promptIds: [1], ids: [2], logprobs: [-1], usage });
  await using server = await ModelServer.open({ say });
  const model = ["--model", "m", "--base-url", server.baseUrl, "--prices", "m=1000000/2000000"];
  const rows = ["frozen-lake", "--seed", "42", "--name", "tokens"];
  expect((await biplane("rollout", ...rows, ...model, "--token-ids", "--logprobs")).code).toBe(0);
  const lines = (await biplane("export", "tokens", "--format", "trl-tokens")).stdout.trim().split("\n");
  expect(lines).toHaveLength(6); // every prompt of this model is new
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ prompt_ids: [1], completion_ids: [2], logprobs: [-1], reward: 1 });
  const logged = await biplane("export", "tokens", "--format", "mlflow", "--out", "logged");
  expect(logged.stderr).toContain("Log them with: python logged/log_to_mlflow.py");
  expect(await readdir(join(folder, "logged"))).toContain("rollouts.parquet");
  const { summary } = JSON.parse(await readFile(join(folder, "logged", "run.json"), "utf8")) as { summary: object };
  expect(summary).toMatchObject({ mean_score: 1, masked: 0, cost: 18 });
}, 60_000);

test("an export that cannot be written says why", async () => {
  expect((await biplane("rollout", "frozen-lake", "--agent", "random", "--name", "plain")).code).toBe(0);
  const tokens = await biplane("export", "plain", "--format", "trl-tokens");
  expect([tokens.code, tokens.stderr]).toEqual([1, expect.stringContaining("No rollout has token ids.")]);
  const folderless = await biplane("export", "plain", "--format", "wandb");
  expect([folderless.code, folderless.stderr]).toEqual([2, expect.stringContaining("Name it with --out.")]);
}, 60_000);
