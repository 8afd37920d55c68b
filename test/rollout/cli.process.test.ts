import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { transform } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { safeText } from "../../packages/biplane/src/cli/terminal/format.ts";
import { frozenLake } from "../../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { runIn } from "../cli/command.ts";
import { program } from "../support/project.ts";
import { ModelServer, walker } from "./model-server.ts";
import { solution } from "./playing.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "biplane-judge-"));
});
afterAll(() => rm(folder, { recursive: true }));

const biplane = (words: readonly string[], env: NodeJS.ProcessEnv = {}) => runIn(folder, words, env);

test("the five commands of the documentation do what it says", async () => {
  const text = readFileSync(new URL("../../docs/rollouts.md", import.meta.url), "utf8");
  const commands = (/```sh\n([\s\S]*?)```/.exec(text)?.[1] ?? "").trim().split("\n");
  expect(commands).toHaveLength(5);
  const outputs: string[] = [];
  for (const command of commands) {
    const { code, stdout, stderr } = await biplane(command.split(" ").slice(1));
    const said = stderr.replaceAll(/^\d+\/\d+ .* left\n/gm, ""); // a slow machine shows progress
    expect([command, code, said]).toEqual([command, 0, ""]);
    outputs.push(stdout);
  }
  expect(outputs[0]).toMatch(/rollouts +20 of 20\nscore +0\.\d+ ± /);
  expect(outputs[2]?.split("\n").filter((line) => line.includes("finished"))).toHaveLength(2);
  expect(outputs[3]).toMatch(/seed_3, seed 3, session [0-9a-f]{32}/);
  expect(outputs[3]).toMatch(/assistant → lake_move \{"action":/);
  expect(outputs[3]).toMatch(/step 0: reward 0, total 0/);
  expect(outputs[3]).toMatch(/total reward by step\n +1 │ /);
  expect(outputs[3]).toContain("[S]FHF");
  expect(outputs[4]).toBe("20 replayed, 20 identical, 0 different\n");
}, 60_000);

test("the code of the documentation runs", async () => {
  const text = readFileSync(new URL("../../docs/rollouts.md", import.meta.url), "utf8");
  const code = /```ts\n([\s\S]*?)```/.exec(text)?.[1] ?? "";
  // Inside the clone its own name leads to it.
  const file = fileURLToPath(new URL(`../../.cache/documented-${process.pid}.mjs`, import.meta.url));
  await writeFile(file, (await transform(code, { loader: "ts" })).code);
  const { stdout } = await promisify(execFile)(process.execPath, [file]);
  await rm(file);
  expect(stdout).toMatch(/^(seed_(42|123|456) control_plane_signal [01]\n){3}[\d.]+\n$/);
});

test("two runs are compared, and a run that is below its threshold ends with 1", async () => {
  const runs = (await biplane(["runs"])).stdout.trim().split("\n").slice(1);
  const [first = "", second = ""] = runs.map((line) => line.split(" ")[0] ?? "");
  const { stdout } = await biplane(["compare", first, second]);
  expect(stdout).toMatch(/better in \d+ rows, worse in \d+, equal in \d+/);
  const failed = await biplane([
    "rollout",
    "--env",
    "frozen-lake",
    "--agent",
    "random",
    "-n",
    "3",
    "--threshold",
    "1.5",
  ]);
  expect([failed.code, failed.stderr]).toEqual([
    1,
    expect.stringMatching(/^biplane: The mean score \S+ is below 1\.5\.\n$/),
  ]);
}, 60_000);

test("a changed environment fails a replay with a diff", async () => {
  const { code, stdout, stderr } = await biplane(["replay", "last", "--env", "cliff-walking", "--row", "0"]);
  expect([code, stderr]).toEqual([1, "biplane: The environment behaves differently than when it was recorded.\n"]);
  expect(stdout).toMatch(
    /seed_0: The playback differs before the first step: prompt\n {2}prompt\.position:\n {4}- 0\n {4}\+ 36/,
  );
}, 60_000);

test("text of a server cannot control the terminal", () => {
  const hostile = "\u001B[2J\u001B]0;title\u0007 \u001B[41mS\u001B[0mF\u202Etxt\u009B31m\tok\n";
  expect(safeText(hostile, false)).toBe("\\x1b[2J\\x1b]0;title\\x07 [S]F\\x202etxt\\x9b31m\tok\n");
  expect(safeText(hostile, true)).toContain("\u001B[41mS\u001B[0mF");
});

test("a model plays a server, is recorded, exported and played back from the file", async () => {
  await using lake = frozenLake();
  const { url } = await lake.serve({ url: "http://127.0.0.1:0" });
  await using model = await ModelServer.open({ say: walker(solution) });
  await writeFile(join(folder, "score.mjs"), "export default (trace) => trace.totalReward * 2;\n");
  const row = {
    messages: [{ role: "system", content: "Go." }],
    input_metadata: { row_id: "a", dataset_info: { environment_context: { seed: 42 } } },
  };
  await writeFile(join(folder, "rows.jsonl"), `${JSON.stringify(row)}\n`);
  const words = [
    "rollout",
    "--url",
    `${url}/mcp`,
    "--rows",
    "rows.jsonl",
    "--model",
    "m",
    "--base-url",
    model.baseUrl,
    "--key",
    "MY_KEY",
  ];
  const more = ["--record", "game.jsonl", "--export", "out", "--scorer", "./score.mjs", "--trace-file", "traces.jsonl"];
  const { code, stdout, stderr } = await biplane([...words, ...more], { MY_KEY: "a secret key" });
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/score +2  \(one row\)/);
  expect(stdout).toMatch(/tokens +90/);
  expect(model.keys[0]).toBe("Bearer a secret key");
  expect((await readdir(join(folder, "out"))).sort()).toEqual([
    "annotations.jsonl",
    "fine-tuning.jsonl",
    "manifest.json",
    "messages.jsonl",
    "preferences.jsonl",
    "rows.jsonl",
    "traces.jsonl",
  ]);
  for (const file of ["out/manifest.json", "traces.jsonl", "game.jsonl", ".biplane/rollouts.db"])
    expect(await readFile(join(folder, file), "latin1")).not.toContain("a secret key");
  const again = await biplane(["replay", "game.jsonl", "--url", url, "--rows", "rows.jsonl", "--times", "3"]);
  expect(again.stdout).toBe("3 replayed, 3 identical, 0 different\n");
}, 60_000);

test("Ctrl-C ends a run cleanly, and it goes on where it stopped", async () => {
  let asked = 0;
  let isHeard: () => void;
  const heard = new Promise<void>((resolve) => (isHeard = resolve));
  await using model = await ModelServer.open({
    say: (request) => {
      if (++asked === 30) isHeard();
      return walker(solution)(request);
    },
    trouble: (request) => (request >= 60 && asked < 1000 ? 429 : undefined),
  });
  const words = [
    "rollout",
    "--env",
    "frozen-lake",
    "--seed",
    "42",
    "-n",
    "40",
    "--model",
    "m",
    "--base-url",
    model.baseUrl,
    "--concurrency",
    "4",
  ];
  const child = spawn(process.execPath, [program, ...words], { cwd: folder });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  await heard;
  child.kill("SIGINT");
  const [code] = (await once(child, "exit")) as [number];
  expect([code, said]).toEqual([130, expect.stringMatching(/Resume with: biplane rollout --resume \S+/)]);
  asked = 1000;
  const resumed = await biplane(["rollout", "--resume", "last", "--concurrency", "8"]);
  expect(resumed.code).toBe(0);
  expect(resumed.stdout).toMatch(/rollouts +40 of 40/);
  expect(resumed.stdout).not.toContain("cancelled");
}, 60_000);

test.each<[string[], string, number?]>([
  [["rollout", "--env", "echo", "-n", "many"], "-n must be a whole number of at least 0, not", 2],
  [["rollout", "--url", "http://127.0.0.1:9", "--kind", "nonsense"], "must be one of eval-protocol, openenv, mcp", 2],
  [["show", "no-such-run"], 'There is no run "no-such-run"'],
  [["rollout", "--env", "echo", "--agent", "model"], "needs --model"],
])(
  "%s ends with one clear line",
  async (words, message, exitCode = 1) => {
    const { code, stderr } = await biplane(words);
    expect([code, stderr.trim().split("\n")]).toEqual([exitCode, [expect.stringContaining(message)]]);
  },
  30_000,
);
