// Inspect AI plays our environments, and we import its logs: inspect-ai.mjs URL HOME
import assert from "node:assert/strict";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as zlib from "node:zlib";
import { openStore } from "../packages/biplane/src/store/sql-store.ts";
import { listRuns } from "../packages/biplane/src/store/runs/run.ts";
import { readTraces } from "../packages/biplane/src/store/runs/rollouts.ts";
import { startModel } from "./scripted-model.mjs";
import { biplane, check, playHere, program, run } from "./trainer-checks.mjs";

const [url, home] = process.argv.slice(2);
const work = `${home}-work`;
rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true });
const script = fileURLToPath(new URL("python/inspect_ai_eval.py", import.meta.url));
const moves = ["HIT", "STICK", "STICK"].map((action) => ["blackjack_move", { action }]);
const logs = {};

await check(
  "The task of `biplane inspect-ai` plays each sample in its own episode, with the rewards of a rollout here",
  async () => {
    const log = await evaluate("blackjack", "json", { count: 6, actions: moves });
    assert.deepEqual([log.status, log.scored, log.unscored], ["success", 6, 0]);
    for (const { seed, scores, calls, error } of log.samples) {
      const expected = await playHere("blackjack", { seed, actions: moves });
      assert.deepEqual(
        [Number(scores.control_plane), calls, error],
        [expected.reward, expected.steps, null],
        `seed ${seed}`,
      );
    }
    logs.json = log;
    return `rewards ${log.samples.map(({ scores }) => scores.control_plane).join(", ")}`;
  },
);

await check("A sample without a reward is unscored, not 0", async () => {
  const log = await evaluate("unjudged", "json", {
    count: 1,
    actions: [
      ["number_count", {}],
      ["number_count", {}],
    ],
  });
  assert.deepEqual([log.status, log.scored, log.unscored], ["success", 0, 1]);
  logs.unscored = log;
  return log.samples[0].explanation[0];
});

await check("A sample whose episode is lost is in error, and not scored", async () => {
  const log = await evaluate("fleeting", "json", { count: 1, actions: [["nothing_do", {}]] });
  assert.ok(log.samples[0].error, "the sample has no error");
  assert.deepEqual(log.samples[0].scores, {});
  return log.samples[0].error.slice(0, 100);
});

await check("A sample whose model dies in the middle is in error, and the others have their scores", async () => {
  const turnOf = (messages) => messages.filter(({ role }) => role === "assistant").length;
  let finished = 0;
  const model = await startModel((messages) => {
    const turn = turnOf(messages);
    if (finished > 0 && turn > 0) return undefined;
    if (turn === 1) finished++;
    return { call: moves[turn] ?? moves.at(-1) };
  });
  const log = await evaluate("blackjack", "json", { count: 3, actions: [], model: model.url, folder: "killed" });
  const lost = log.samples.filter(({ error }) => error !== null);
  const whole = log.samples.filter(({ error }) => error === null);
  assert.ok(lost.length > 0 && whole.length > 0, `${lost.length} of ${log.samples.length} samples are lost`);
  for (const { scores } of lost) assert.deepEqual(scores, {});
  for (const { seed, scores } of whole) {
    const expected = await playHere("blackjack", { seed, actions: [moves[0], moves[1], moves[1]] });
    assert.equal(Number(scores.control_plane), expected.reward, `seed ${seed}`);
  }
  const masked = (await importLog(log.log)).filter(({ totalReward }) => totalReward === null);
  assert.equal(masked.length, lost.length);
  assert.ok(masked.every(({ failure }) => failure.masked));
  return `${whole.length} with a score, ${lost.length} without: ${lost[0].error.slice(0, 80)}`;
});

await check("`biplane import` stores its JSON logs as runs, unscored samples without a reward", async () => {
  const traces = await importLog(logs.json.log);
  const rewards = Object.fromEntries(traces.map(({ rowId, totalReward }) => [rowId, totalReward]));
  const expected = Object.fromEntries(logs.json.samples.map(({ id, scores }) => [id, Number(scores.control_plane)]));
  assert.deepEqual(rewards, expected);
  assert.deepEqual(
    traces.map(({ steps }) => steps.length),
    logs.json.samples.map(({ calls }) => calls),
  );
  const [masked] = await importLog(logs.unscored.log);
  assert.deepEqual([masked.totalReward, masked.failure.masked], [null, true]);
  return `${traces.length + 1} samples`;
});

if ("zstdDecompressSync" in zlib)
  await check("`biplane import` stores its .eval logs", async () => {
    const log = await evaluate("blackjack", "eval", { count: 3, actions: moves });
    const traces = await importLog(log.log);
    assert.deepEqual(
      traces.map(({ totalReward }) => totalReward),
      log.samples.map(({ scores }) => Number(scores.control_plane)),
    );
  });
else
  console.log(
    JSON.stringify({
      check: "`biplane import` stores its .eval logs",
      result: "skip",
      note: `Node ${process.versions.node} has no zstd; it needs 22.15`,
    }),
  );

async function evaluate(name, format, { count, actions, model = "", folder: given = `${name}-${format}` }) {
  const folder = join(work, given);
  await biplane("inspect-ai", `${url}/env/${name}`, "-n", String(count), "--seed", "16", "--folder", folder);
  const words = [script, `${name}.py`, format, folder, JSON.stringify(actions), model]; // it takes no absolute path
  const { code, stdout, output } = await run(program(home, "python"), words, { cwd: folder });
  assert.equal(code, 0, output.slice(-400));
  return JSON.parse(stdout.trim().split("\n").at(-1));
}

async function importLog(log) {
  const file = join(work, `${Math.random()}.db`);
  await biplane("import", fileURLToPath(log.includes("://") ? log : `file://${log}`), "--store", file);
  const store = await openStore(file);
  const [stored] = await listRuns(store);
  const traces = await readTraces(store, stored.id);
  await store.close();
  return traces;
}
