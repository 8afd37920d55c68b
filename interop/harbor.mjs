// Harbor runs our task folders, with folders for containers: harbor.mjs URL HOME
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { biplane, biplaneWords, check, playHere, program, run } from "./trainer-checks.mjs";

const [, home] = process.argv.slice(2);
const work = `${home}-work`;
rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true });
const script = fileURLToPath(new URL("python/harbor_trial.py", import.meta.url));
const moves = ["HIT", "STICK"].map((action) => ["blackjack_move", { action }]);
const tasks = join(work, "tasks");

await check("The tasks of `biplane harbor init` run as trials, with the rewards of a rollout here", async () => {
  await biplane("harbor", "init", "blackjack", "-n", "3", "--seed", "16", "--folder", tasks);
  const results = await runTrials(folders(), moves);
  assert.equal(results.length, 3);
  for (const { task, rewards, error, message } of results) {
    const seed = Number(/\d+$/.exec(task)[0]);
    const expected = await playHere("blackjack", { seed, actions: moves });
    assert.deepEqual(
      [rewards, error],
      [{ reward: expected.reward, step_count: expected.steps }, null],
      `${task}: ${message}`,
    );
  }
  return `rewards ${results.map(({ rewards }) => rewards.reward).join(", ")}`;
});

await check("A trial whose environment was killed has no reward, not 0", async () => {
  const [result] = await runTrials(folders().slice(0, 1), [moves[0], "kill"]);
  assert.deepEqual([result.rewards, result.error], [null, "RewardFileNotFoundError"]);
  return result.error;
});

function folders() {
  return readdirSync(tasks).map((name) => join(tasks, name));
}

async function runTrials(paths, actions) {
  const words = [script, JSON.stringify(paths), work, JSON.stringify(actions), JSON.stringify(biplaneWords)];
  const { code, stdout, output } = await run(program(home, "python"), words, { cwd: work });
  assert.equal(code, 0, output.slice(-400));
  return JSON.parse(stdout.trim().split("\n").at(-1));
}
