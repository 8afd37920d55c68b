import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openStore } from "biplane/store";
import { CostBudget, listRuns, readTraces, scriptedModel } from "biplane/rollout";
import { runHere } from "../cli/command.ts";
import { ModelServer } from "./model-server.ts";

let folder: string;
let store: string;
let rows: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "biplane-models-"));
  store = join(folder, "runs.db");
  rows = join(folder, "rows.jsonl");
  await writeFile(rows, [1, 2, 3].map((seed) => conversation(seed, { system_prompt: "You want to talk." })).join("\n"));
});
afterAll(() => rm(folder, { recursive: true }));

function conversation(seed: number, simulation: object): string {
  const info = { user_simulation: { enabled: true, ...simulation }, environment_context: { seed } };
  return JSON.stringify({ messages: [], input_metadata: { row_id: `talk_${seed}`, dataset_info: info } });
}

const flags = (options: Record<string, string>) =>
  Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
const talk = () => ModelServer.open({ say: () => ({ content: "How can I help?" }) });
const roll = (...words: string[]) =>
  runHere("rollout", "frozen-lake", "--store", store, "--rows", rows, "--concurrency", "1", ...words);

async function lastTraces() {
  await using opened = await openStore(store);
  const run = (await listRuns(opened)).at(-1);
  return await readTraces(opened, run?.id ?? "");
}

test("another model plays the user, a third one judges, and their prices add up", async () => {
  await using agent = await talk();
  await using user = await ModelServer.open({
    say: ({ messages }) => ({ content: messages.length > 4 ? "###STOP###" : "I want to talk." }),
  });
  await using judge = await ModelServer.open({ say: () => ({ content: '{"score": 0.75, "reason": "Polite."}' }) });
  const models = {
    model: "agent-1",
    "base-url": agent.baseUrl,
    "user-model": `user-1@${user.baseUrl}`,
    "judge-model": `org/judge@2@${judge.baseUrl}`,
  };
  const prices = "agent-1=1/2,user-1=10/20,org/judge@2=100/0";
  const ended = await roll(...flags({ ...models, criteria: "Is it polite?", prices, "max-cost": "100" }));
  expect(ended).toMatchObject({ code: 0 });
  expect(ended.stdout).toMatch(/score +0\.75/);
  expect([agent.asked[0]?.model, user.asked[0]?.model, judge.asked[0]?.model]).toEqual([
    "agent-1",
    "user-1",
    "org/judge@2",
  ]);
  expect(judge.asked).toHaveLength(3);
  const traces = await lastTraces();
  expect(traces.map(({ ending }) => ending.reason)).toEqual(["user_stop", "user_stop", "user_stop"]);
  const cost = traces.reduce((sum, trace) => sum + (trace.cost ?? 0), 0);
  const spent = cost + (3 * 10 * 100) / 1e6;
  expect(ended.stderr).toContain(`The models cost $${spent.toFixed(4)} of $100.`);
});

test("a budget ends the run, and what was not played or judged has no score", async () => {
  await using agent = await ModelServer.open({ say: () => ({ content: "Done." }) });
  await using judge = await ModelServer.open({ say: () => ({ content: '{"score": 1}' }) });
  const own = join(folder, "seeds.db");
  const models = { model: "m", "base-url": agent.baseUrl, "judge-model": `m@${judge.baseUrl}`, criteria: "Any" };
  const budget = { prices: "m=100000/100000", "max-cost": "4" };
  const run = { store: own, number: "6", concurrency: "1" };
  const ended = await runHere("rollout", "frozen-lake", ...flags({ ...run, ...models, ...budget }));
  expect(agent.asked).toHaveLength(3); // 1.50 each
  expect(judge.asked).toHaveLength(0);
  expect(ended.code).toBe(1);
  expect(ended.stderr).toMatch(/The models cost \$4\.5000 of \$4\. What was not played or judged has no score\./);
  expect(ended.stderr).toMatch(/Resume with: biplane rollout --resume/);
  expect(ended.stderr).toMatch(/The budget of \$4 is spent/);
});

test("a simulator that fails masks the rollout, and says so", async () => {
  await using agent = await talk();
  await using user = await ModelServer.open({ say: () => ({}), trouble: () => 401 });
  const ended = await roll("--model", "agent-1", "--base-url", agent.baseUrl, "--user-model", `user-1@${user.baseUrl}`);
  expect(ended.code).toBe(1);
  const traces = await lastTraces();
  expect(traces.map(({ failure }) => failure?.kind)).toEqual(["simulator", "simulator", "simulator"]);
  expect(traces.every(({ failure }) => failure?.masked)).toBe(true);
});

test("a judge that fails leaves rollouts unscored", async () => {
  await using judge = await ModelServer.open({ say: () => ({ content: "I cannot say." }) });
  const ended = await roll(
    "--agent",
    "random",
    "--user-model",
    "scripted",
    "--judge-model",
    `j@${judge.baseUrl}`,
    "--criteria",
    "Any",
  );
  expect(ended.code).toBe(1);
  expect(ended.stderr).toMatch(/3 × The scorer failed: The judge's reply is not the requested JSON: I cannot say/);
});

test("a scripted judge gives the same scores again, and another seed gives others", async () => {
  await roll("--agent", "random", "--steps", "5");
  const score = async (seed: number) => {
    const { stdout } = await runHere(
      "score",
      "last",
      "--store",
      store,
      "--judge-model",
      `scripted:${seed}`,
      "--criteria",
      "Any",
      "--name",
      `s${seed}`,
    );
    return /score +(\S+)/.exec(stdout)?.[1];
  };
  expect(await score(7)).toBe(await score(7));
  expect(new Set([await score(1), await score(2), await score(3), await score(4)]).size).toBeGreaterThan(1);
});

test("a row can bring the script of its user", async () => {
  await using agent = await talk();
  const file = join(folder, "scripted.jsonl");
  await writeFile(file, conversation(1, { script: ["Hello.", "A-1, please.", "Thanks."] }));
  const ended = await runHere(
    "rollout",
    "frozen-lake",
    ...flags({ store, rows: file, model: "m", "base-url": agent.baseUrl }),
  );
  expect(ended.code).toBe(0);
  const [trace] = await lastTraces();
  expect(trace?.messages.filter(({ role }) => role === "user").map(({ content }) => content)).toEqual([
    "Hello.",
    "A-1, please.",
    "Thanks.",
  ]);
  expect(trace?.ending.reason).toBe("user_stop");
});

test.each([
  [
    ["--model", "m", "--base-url", "http://127.0.0.1:1", "--max-cost", "1"],
    /--max-cost needs the price of m\. Pass --prices m=/,
  ],
  [["--prices", "m:1"], /--prices must be like gpt-4o-mini=0\.15\/0\.6, not "m:1"/],
  [["--user-model", "http://127.0.0.1:1/v1"], /does not name a model\. Write NAME@http/],
  [["--criteria", "Any"], /A judge needs a model\. Pass --judge-model/],
  [["--scorer", "judge", "--judge-model", "scripted"], /A judge needs to know what to look for\. Pass --criteria/],
])("%j is refused before anything is played", async (words, message) => {
  const { code, stderr } = await roll(...words);
  expect(stderr).toMatch(message);
  expect(code).toBe(2);
});

test("a budget must be above 0, and a scripted model needs no network", async () => {
  expect(() => new CostBudget(0)).toThrow(/must be above 0/);
  const model = scriptedModel({ seed: 3, replies: ["a", "b"] });
  const ask = () => model([{ role: "user", content: "x" }], { signal: AbortSignal.timeout(1000) });
  expect(await ask()).toEqual(await ask());
});
