// Logs an exported run to the experiment tracker of a virtual environment, offline, and reads it back:
// node interop/trackers.mjs <server> <folder with the virtual environment>
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { BiplaneError } from "../packages/core/src/errors.ts";
import { frozenLake } from "../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { make } from "../packages/biplane/src/rollout/make.ts";
import { rollout } from "../packages/biplane/src/rollout/rollout.ts";
import { scriptedAgent } from "../packages/biplane/src/rollout/agent/scripted.ts";
import { seedRows } from "../packages/biplane/src/rollout/row.ts";
import { scoreTraces, totalReward } from "../packages/biplane/src/rollout/score/scorer.ts";
import { writeTrackerFolder } from "../packages/biplane/src/rollout/export/tracker-folder.ts";
import { openStore } from "../packages/biplane/src/store/sql-store.ts";
import { findRun } from "../packages/biplane/src/store/runs/run.ts";
import { check } from "./sdk-checks.mjs";

const [, home] = process.argv.slice(2);
const tracker = basename(home).split("-")[0];
const python = join(home, process.platform === "win32" ? "Scripts" : "bin", "python");
const folder = mkdtempSync(join(tmpdir(), "biplane-tracker-"));
const solution = ["DOWN", "DOWN", "RIGHT", "RIGHT", "DOWN", "RIGHT"]; // for seed 42

const run = (script, ...words) =>
  execFileSync(python, [script, ...words], { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

try {
  const logger = await writeRun(join(folder, "run"));
  await check("The script logs the run without a network", async () => {
    const words = tracker === "wandb" ? ["--offline"] : ["--tracking-uri", `sqlite:///${folder}/mlflow.db`];
    run(join(folder, "run", logger), ...words);
  });
  await check("The package reads the scores, and has none for the masked rollout", async () => {
    const reader = fileURLToPath(new URL(`python/read_${tracker}.py`, import.meta.url));
    const read = JSON.parse(run(reader, folder).trim().split("\n").at(-1));
    assert.deepEqual(read.scores, [1, 0]);
    assert.deepEqual(read.steps, [6, 1, 0]);
    const { mean_score, rollouts, masked, masked_model } = read.summary;
    assert.deepEqual([mean_score, rollouts, masked, masked_model], [0.5, 3, 1, 1]);
    assert.deepEqual([read.config.agent, read.name], ["scripted", "lake"]);
    assert.ok(read.files.includes("rollouts.parquet"), String(read.files));
  });
} finally {
  rmSync(folder, { recursive: true });
}

/** Three rollouts: one reaches the goal, one does not, and the model of one fails. */
async function writeRun(to) {
  const store = await openStore(":memory:");
  const lake = frozenLake();
  const envs = await make(lake, { rows: seedRows([42, 42, 42]) });
  const agent = scriptedAgent(({ step }, { index }) => {
    if (index === 2) throw new BiplaneError("EXECUTION_ERROR", "The model is gone.", { details: { endpoint: "m" } });
    const action = index === 0 ? solution[step] : ["LEFT"][step];
    return action && { tool: "lake_move", input: { action } };
  });
  const traces = [];
  const options = { agent, store, run: "r1", name: "lake", tags: ["interop"], concurrency: 1, env: {} };
  for await (const { trace } of rollout(envs, options)) traces.push(trace);
  traces.sort((one, other) => one.index - other.index);
  const scored = await scoreTraces(traces, totalReward);
  const script = await writeTrackerFolder(to, { tracker, run: await findRun(store, "r1"), scored });
  for (const each of [envs, lake, store]) await each.close();
  return script;
}
