// verifiers plays our environments, over MCP and over OpenEnv: verifiers.mjs URL HOME
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync, mkdirSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { startModel } from "./scripted-model.mjs";
import { biplane, check, playHere, program, run } from "./trainer-checks.mjs";

const [url, home] = process.argv.slice(2);
const work = `${home}-work`;
rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true });
const uv = join(dirname(home), "tools", "bin", "uv");
const moves = ["HIT", "STICK"].map((action) => ["blackjack_move", { action }]);
const rows = 3;
const turnOf = (messages) => messages.filter(({ role }) => role === "assistant").length;

await check(
  "The package of `biplane verifiers init` installs, and plays over MCP with the rewards of a rollout here",
  async () => {
    const folder = await installPackage("blackjack");
    const model = await startModel((messages) => ({ call: moves[turnOf(messages)] ?? moves[1] }));
    const episodes = await evaluate(
      "mcp",
      model,
      readFileSync(join(folder, "eval.toml"), "utf8").replace(/^model = .*$/m, 'model = "scripted"'),
    );
    assert.equal(episodes.length, rows);
    for (const {
      traces: [trace],
      ok,
      errors,
    } of episodes) {
      assert.equal(ok, true, JSON.stringify(errors));
      const { seed } = trace.task.data;
      const expected = await playHere("blackjack", { seed, actions: moves });
      assert.deepEqual(
        [trace.rewards.reward.score, trace.metrics.steps],
        [expected.reward, expected.steps],
        `seed ${seed}`,
      );
    }
    return `rewards ${episodes.map(({ traces: [trace] }) => trace.rewards.reward.score).join(", ")}`;
  },
);

await check("An episode without a reward is an error of its rollout, not a 0", async () => {
  const folder = await installPackage("unjudged");
  const model = await startModel(() => ({ call: ["number_count", {}] }));
  const config = readFileSync(join(folder, "eval.toml"), "utf8").replace(/^model = .*$/m, 'model = "scripted"');
  const [episode] = await evaluate("masked", model, config.replace("max_turns = 50", "max_turns = 2"));
  assert.equal(episode.ok, false);
  const [trace] = episode.traces;
  assert.equal(trace.rewards.reward ?? null, null);
  return trace.errors[0].message.slice(0, 100);
});

await check(
  "A model that dies in the middle is an error of its rollout, and the others have their rewards",
  async () => {
    const config = readFileSync(join(work, "blackjack", "eval.toml"), "utf8").replace(
      /^model = .*$/m,
      'model = "scripted"',
    );
    let finished = 0;
    const model = await startModel((messages) => {
      const turn = turnOf(messages);
      if (finished > 0 && turn > 0) return undefined;
      const call = moves[turn] ?? moves[1];
      if (turn === moves.length - 1) finished++;
      return { call };
    });
    const episodes = await evaluate("killed", model, `max_concurrent = 1\n${config}`);
    assert.equal(episodes.length, rows);
    const [lost, whole] = [episodes.filter(({ ok }) => !ok), episodes.filter(({ ok }) => ok)];
    assert.ok(lost.length > 0 && whole.length > 0, `${lost.length} of ${rows} rollouts are lost`);
    for (const { traces } of lost) assert.equal(traces[0]?.rewards.reward ?? null, null);
    for (const { traces } of whole) {
      const expected = await playHere("blackjack", { seed: traces[0].task.data.seed, actions: moves });
      assert.equal(traces[0].rewards.reward.score, expected.reward);
    }
    // verifiers runs no hook of a task whose rollout failed: its episode would end when it is idle for too long.
    const control = `${url}/env/blackjack/control/episodes`;
    const { episodes: left } = await (await fetch(control)).json();
    assert.equal(left.length, lost.length);
    for (const { id } of left) await fetch(`${control}/${id}`, { method: "DELETE" });
    return `${whole.length} with a reward, ${lost.length} without`;
  },
);

await check("The OpenEnv taskset plays tools and typed actions, unchanged", async () => {
  const words = ["crane", "hello there"]; // not JSON: each is the one required field
  const plays = {
    blackjack: {
      actions: moves,
      replies: moves.map(([tool_name, input]) => JSON.stringify({ tool_name, arguments: input })),
    },
    "echo-typed": { actions: words.map((message) => ["message_echo", { message }]), replies: words },
  };
  const notes = [];
  for (const [name, { actions, replies }] of Object.entries(plays)) {
    const model = await startModel((messages) => {
      const shown = JSON.parse(messages.findLast(({ role }) => role === "user").content);
      assert.equal("reward" in shown.observation, false, "the model reads its reward");
      return { content: replies[turnOf(messages)] };
    });
    const [episode] = await evaluate(`openenv-${name}`, model, openEnvConfig(name));
    assert.equal(episode.ok, true, JSON.stringify(episode.errors ?? episode.traces[0].errors));
    const expected = await playHere(name, { seed: 18, actions });
    assert.equal(episode.traces[0].rewards.openenv_reward.score, expected.reward, name);
    notes.push(`${name} ${expected.reward} after ${expected.steps} steps`);
  }
  return notes.join(", ");
});

/** A turn starts a process and takes seconds, so there are two. */
function openEnvConfig(name) {
  return `model = "scripted"
push = false

[client]

[env.taskset]
id = "openenv"
base_url = "${url}/env/${name}"
resets = [{ seed = 18 }]

[env.player]
harness = { id = "null" }
runtime = { type = "subprocess" }
max_turns = 2
`;
}

async function installPackage(name) {
  const folder = join(work, name);
  await biplane(
    "verifiers",
    "init",
    `${url}/env/${name}`,
    "-n",
    String(name === "unjudged" ? 1 : rows),
    "--seed",
    "16",
    "--folder",
    folder,
  );
  const words = ["pip", "install", "--quiet", "--no-deps", "--python", program(home, "python"), folder];
  const { code, output } = existsSync(uv)
    ? await run(uv, words)
    : await run(program(home, "python"), ["-m", "pip", "install", "--quiet", "--no-deps", folder]);
  assert.equal(code, 0, output.slice(-300));
  return folder;
}

/** Runs vf-eval with a config and returns the episodes that it wrote. */
async function evaluate(name, model, config) {
  const out = join(work, `out-${name}`);
  const file = join(work, `${name}.toml`);
  const client = `[client]\nbase_url = "${model.url}"\napi_key_var = "SCRIPTED_KEY"\n`;
  const whole = config.replace(/^output_dir = .*$/m, "").replace(/^\[client\]\n(?:\w+ = .*\n)*/m, client);
  writeFileSync(file, `output_dir = "${out}"\n${whole}`);
  const path = [join(home, "bin"), dirname(uv), process.env.PATH].join(delimiter);
  try {
    const { code, output } = await run(program(home, "vf-eval"), ["@", file, "--no-rich"], {
      cwd: work,
      env: { PATH: path, SCRIPTED_KEY: "none", UV_CACHE_DIR: join(dirname(home), "uv") },
    });
    const folder =
      existsSync(out) && readdirSync(out, { recursive: true }).find((each) => each.endsWith("traces.jsonl"));
    assert.ok(folder, `vf-eval exited with ${code} and wrote no traces: ${output.slice(-400)}`);
    return readFileSync(join(out, folder), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  } finally {
    model.close();
  }
}
