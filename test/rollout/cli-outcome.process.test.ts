import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runIn } from "../cli/command.ts";
import { counter } from "../environment/counter.ts";
import { ModelServer } from "./model-server.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "biplane-outcome-"));
});
afterAll(() => rm(folder, { recursive: true }));

function biplane(command: string, env: NodeJS.ProcessEnv = {}) {
  return runIn(folder, command.split(" "), { OPENAI_API_KEY: undefined, ...env });
}

const lake = "rollout --env frozen-lake --agent random";

test("a model that answers 401 to every rollout fails the command, which says why", async () => {
  await using model = await ModelServer.open({ say: () => ({ content: "" }), trouble: () => 401 });
  const words = `rollout --env frozen-lake -n 3 --model m --base-url ${model.baseUrl}`;
  const { code, stdout, stderr } = await biplane(words, { OPENAI_API_KEY: "wrong" });
  expect(code).toBe(1);
  expect(stdout).toMatch(/endings +error: model 3/);
  expect(stderr).toMatch(
    /^3 × error: model: http:\/\/\S+ answered 401: .* Check the API key\.\nbiplane: All rollouts failed\.\n$/,
  );
});

test("a rollout that fails among others is reported, and fails the command above --max-masked", async () => {
  await using model = await ModelServer.open({
    say: () => ({ content: "Done." }),
    trouble: (request) => (request === 0 ? 400 : undefined),
  });
  const words = `rollout --env frozen-lake -n 3 --concurrency 1 --model m --base-url ${model.baseUrl}`;
  const { code, stdout, stderr } = await biplane(`${words} --max-masked 0.4`, { OPENAI_API_KEY: "key" });
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^1 × error: model: .* answered 400.*\n$/)]);
  expect(stdout).toMatch(/masked +1 of 3 without a score: model 1/);
  model.asked.length = 0;
  const strict = await biplane(words, { OPENAI_API_KEY: "key" });
  expect(strict.code).toBe(1);
  expect(strict.stderr).toContain("biplane: 1 of 3 rollouts have no score (model 1), more than --max-masked 0.05.");
  model.asked.length = 0;
  const again = await biplane(`${words} --retries 1`, { OPENAI_API_KEY: "key" });
  expect([again.code, again.stdout]).toEqual([0, expect.not.stringContaining("masked")]);
});

test("a model without a key is refused before anything is played", async () => {
  const { code, stdout, stderr } = await biplane("rollout --env frozen-lake --model gpt-4o-mini");
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain(
    "There is no API key: OPENAI_API_KEY is neither a secret nor an environment variable. Run `biplane secrets set OPENAI_API_KEY`",
  );
});

test.each<[string, string, number?]>([
  [`${lake} --rows empty.jsonl`, "empty.jsonl has no rows. There is nothing to play."],
  [`${lake} -n 0`, "--number must be a whole number of at least 1, not 0.", 2],
  [`${lake} --pass much`, '--pass must be a number, not "much".', 2],
  [`${lake} --threshold high`, '--threshold must be a number, not "high".', 2],
  [`${lake} --name last`, '--name must be 1 to 99 characters and not "last", not "last".', 2],
])("%s says what is wrong", async (command, message, exitCode = 1) => {
  await writeFile(join(folder, "empty.jsonl"), "\n\n");
  const { code, stdout, stderr } = await biplane(command);
  expect([code, stdout, stderr]).toEqual([exitCode, "", `biplane: ${message}\n`]);
});

test("an export into a folder that exists is refused before anything is played", async () => {
  await mkdir(join(folder, "taken"));
  await writeFile(join(folder, "taken", "notes.txt"), "mine");
  const before = (await biplane("runs")).stdout;
  const { code, stdout, stderr } = await biplane(`${lake} -n 2 --export taken`);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/^biplane: \S+taken already exists\. Choose another folder\.\n$/);
  expect((await biplane("runs")).stdout).toBe(before);
  expect(await readdir(join(folder, "taken"))).toEqual(["notes.txt"]);
});

test("the tasks of an environment are rows by URL too, over OpenEnv and over MCP", async () => {
  await using environment = counter();
  const { url } = await environment.serve({ url: "http://127.0.0.1:0" });
  for (const target of [url, `${url}/mcp`]) {
    const { code, stdout } = await biplane(
      `rollout --url ${target} --split train --agent random --steps 3 --max-masked 1`,
    );
    expect([code, stdout]).toEqual([0, expect.stringMatching(/rollouts +2 of 2\n/)]);
    expect((await biplane("show last --row short")).stdout).toContain("short, seed 1,");
  }
  const unknown = await biplane(`rollout --url ${url} --split exam --agent random`);
  expect([unknown.code, unknown.stderr]).toEqual([1, 'biplane: Unknown split "exam". Known splits: train, test.\n']);
});

test("runs are found and compared by name, the newest of a name first", async () => {
  await biplane(`${lake} -n 1 --name baseline`);
  await biplane(`${lake} -n 4 --name baseline`);
  await biplane("rollout --env frozen-lake --agent greedy -n 4 --steps 50 --name tuned");
  const runs = (await biplane("runs")).stdout;
  expect(runs).toMatch(/^run +name +status/);
  expect(runs.match(/ baseline /g)).toHaveLength(2);
  const { code, stdout } = await biplane("compare baseline tuned");
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^First: baseline \(\S+, .*\), second: tuned \(/)]);
  expect(stdout).toMatch(/better in \d rows, worse in \d, equal in \d/);
  expect((await biplane("show baseline")).stdout).toMatch(/name +baseline\n[\s\S]*rollouts +4 of 4\n/);
  expect((await biplane("compare baseline nothing")).stderr).toContain('There is no run "nothing".');
});

test("--pass says which score passes, in the report, in show and in the export", async () => {
  await writeFile(join(folder, "half.mjs"), "export default ({ index }) => [0.25, 0.5, 0.75, 0][index];\n");
  const { stdout } = await biplane(`${lake} -n 4 --scorer ./half.mjs --pass 0.5 --export passed`);
  expect(stdout).toMatch(/pass@1 +0\.500 {2}\(score at least 0\.5\)/);
  const lines = await readFile(join(folder, "passed", "fine-tuning.jsonl"), "utf8");
  expect(lines.trim().split("\n")).toHaveLength(2);
  const manifest = JSON.parse(await readFile(join(folder, "passed", "manifest.json"), "utf8")) as { summary: object };
  expect(manifest.summary).toMatchObject({ pass: 0.5, passAt: { 1: 0.5 } });
  await biplane(`${lake} -n 4 --pass -1`);
  expect((await biplane("show last")).stdout).toMatch(/pass@1 +1 {2}\(score at least -1\)/);
  await biplane(`${lake} -n 4`);
  expect((await biplane("show last")).stdout).toMatch(/pass@1 +\S+ {2}\(score above 0\)/);
});
