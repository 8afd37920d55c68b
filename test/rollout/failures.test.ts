import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { environment } from "biplane";
import type { Environment } from "biplane";
import { openStore } from "biplane/store";
import { expect, test } from "vitest";
import { openaiAgent, openaiChatModel } from "../../packages/biplane/src/rollout/agent/openai.ts";
import { scriptedAgent } from "../../packages/biplane/src/rollout/agent/scripted.ts";
import { evalProtocolLines, openaiLines, preferenceLines } from "../../packages/biplane/src/rollout/export/lines.ts";
import { rolloutCsv } from "../../packages/biplane/src/rollout/export/rollout-table.ts";
import { groupsOf } from "../../packages/biplane/src/rollout/group.ts";
import type { PlayedRow } from "../../packages/biplane/src/rollout/played-row.ts";
import { seedRows } from "../../packages/biplane/src/rollout/row.ts";
import { compareRuns } from "../../packages/biplane/src/rollout/score/compare.ts";
import { scoreTraces, totalReward } from "../../packages/biplane/src/rollout/score/scorer.ts";
import { modelJudge } from "../../packages/biplane/src/rollout/score/scorers.ts";
import { summarize } from "../../packages/biplane/src/rollout/score/summary.ts";
import { simulatedUsers } from "../../packages/biplane/src/rollout/user.ts";
import { readTraces } from "../../packages/biplane/src/store/runs/rollouts.ts";
import { findRun } from "../../packages/biplane/src/store/runs/run.ts";
import { figuresOf } from "../../packages/biplane/src/store/runs/run-figures.ts";
import { pageOfTraces } from "../../packages/biplane/src/store/runs/rollout-list.ts";
import { frozenLake } from "../../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { ModelServer, walker } from "./model-server.ts";
import { lakeMoves, playAll, solution } from "./playing.ts";

const quick = { sleep: async () => undefined };
const rewardsOf = (rows: readonly PlayedRow[]) => rows.map(({ trace }) => trace.totalReward);
const failuresOf = (rows: readonly PlayedRow[]) => rows.map(({ trace }) => trace.failure?.kind);
const summaryOf = async (rows: readonly PlayedRow[]) =>
  summarize(
    await scoreTraces(
      rows.map(({ trace }) => trace),
      totalReward,
    ),
  );

test("a model that dies in the middle masks its rollouts, and the average is that of the others", async () => {
  await using model = await ModelServer.open({
    say: walker(solution),
    trouble: (request) => (request >= 8 ? 500 : undefined),
  });
  await using lake = frozenLake();
  const agent = openaiAgent({ model: "m", baseUrl: model.baseUrl, retries: 1, ...quick });
  const rows = await playAll(lake, seedRows([42, 42, 42]), { agent, concurrency: 1 });
  expect([rewardsOf(rows), failuresOf(rows)]).toEqual([
    [1, null, null],
    [undefined, "model", "model"],
  ]);
  expect(rows[1]?.trace.steps.length).toBe(2);
  expect(rows[1]?.rollout_status).toMatchObject({ code: 14, status: "error", extra_info: { masked: true } });
  expect(await summaryOf(rows)).toMatchObject({
    rows: 1,
    rollouts: 3,
    masked: 2,
    maskedBy: { model: 2 },
    mean: 1,
    passAt: { 1: 1 },
    reasons: { control_plane_signal: 1, "error: model": 2 },
  });
});

test("an agent that throws has earned what it has, which may be nothing", async () => {
  await using lake = frozenLake();
  const agent = scriptedAgent(({ step }, { index }) => {
    if (index === 1 && step === 2) throw new Error("out of ideas");
    return lakeMoves(solution)[step];
  });
  const rows = await playAll(lake, seedRows([42, 42]), { agent });
  expect([rewardsOf(rows), failuresOf(rows)]).toEqual([
    [1, 0],
    [undefined, "agent"],
  ]);
  expect(rows[1]?.rollout_status).toMatchObject({ code: 100, status: "finished", extra_info: { error_kind: "agent" } });
  expect(await summaryOf(rows)).toMatchObject({ rows: 2, masked: 0, mean: 0.5 });
});

test.each([
  ["a connection that is refused", Object.assign(new Error("connect"), { code: "ECONNREFUSED" })],
  ["a failed fetch", new TypeError("fetch failed", { cause: new Error("x") })],
  ["an API's error with a status", Object.assign(new Error("overloaded"), { status: 529 })],
  ["the same, wrapped", new Error("Agent failed", { cause: Object.assign(new Error("no"), { statusCode: 500 }) })],
])("an agent of one's own that throws %s is a failure of its model", async (_, error) => {
  await using lake = frozenLake();
  const agent = scriptedAgent(() => {
    throw error;
  });
  const rows = await playAll(lake, seedRows([42]), { agent });
  expect([rewardsOf(rows), failuresOf(rows)]).toEqual([[null], ["model"]]);
});

test("an environment that dies in the middle masks its rollouts, over the wire", async () => {
  const lake = frozenLake();
  const { url } = await lake.serve({ url: "http://127.0.0.1:0", graceMs: 10 });
  const agent = scriptedAgent(async ({ step }, { index }) => {
    if (index === 1 && step === 2) await lake.close();
    return lakeMoves(solution)[step];
  });
  const rows = await playAll(`${url}/mcp`, seedRows([42, 42]), { agent, concurrency: 1 });
  expect([rewardsOf(rows), failuresOf(rows)]).toEqual([
    [1, null],
    [undefined, "infrastructure"],
  ]);
  expect(await summaryOf(rows)).toMatchObject({ rows: 1, mean: 1, masked: 1 });
});

test.each(["in process", "/ws"])(
  "an episode that is closed in the middle is lost, and ends the rollout: %s",
  async (how) => {
    await using lake = frozenLake();
    const { url } = await lake.serve("http://127.0.0.1:0");
    const agent = scriptedAgent(async ({ step }) => {
      if (step === 2) await Promise.all(Array.from(lake.episodes, (episode) => lake.episodes.end(episode)));
      return lakeMoves(solution)[step];
    });
    const [row] = await playAll(how === "/ws" ? url : lake, seedRows([42]), { agent });
    expect(row?.trace).toMatchObject({ totalReward: null, failure: { kind: "lost", masked: true } });
    expect(row?.trace.steps).toHaveLength(2);
  },
);

/** An environment whose reward asks a model, as a judge of its own. */
function judged(baseUrl: string): Environment {
  const ask = openaiChatModel({ model: "judge", baseUrl, retries: 0, ...quick });
  return environment({
    name: "judged",
    start: () => ({ count: 0 }),
    observe: ({ count }) => ({ count }),
    tools: (tool) => ({ add: tool({ run: (_, { state }) => void state.count++ }) }),
    rubric: {
      style: {
        score: async () => {
          const messages = [{ role: "user", content: "How good was that?" }];
          return Number((await ask(messages, { signal: new AbortController().signal })).text);
        },
      },
    },
    status: ({ count }) => ({ terminated: count >= 2 }),
    onFault: () => undefined,
  });
}

test.each(["in process", "/ws", "/mcp"])("a judge that dies in the middle masks its rollouts: %s", async (how) => {
  await using model = await ModelServer.open({
    say: () => ({ content: "0.5" }),
    trouble: (request) => (request === 3 ? "cut" : undefined),
  });
  await using subject = judged(model.baseUrl);
  const { url } = await subject.serve("http://127.0.0.1:0");
  const target = how === "in process" ? subject : how === "/ws" ? url : `${url}/mcp`;
  const add = { tool: "add", input: {} };
  const rows = await playAll(target, seedRows([1, 2, 3]), { agent: scriptedAgent([add, add]), concurrency: 1 });
  expect([rewardsOf(rows), failuresOf(rows)]).toEqual([
    [1, null, 1],
    [undefined, "judge", undefined],
  ]);
  expect(rows.map(({ trace }) => trace.ending.reason)).toEqual(Array(3).fill("control_plane_signal"));
  expect(rows[1]?.trace.steps.map(({ reward, failure }) => [reward, failure?.kind])).toEqual([
    [0.5, undefined],
    [null, "judge"],
  ]);
  expect(rows[1]?.rollout_status.code).toBe(102);
  expect(await summaryOf(rows)).toMatchObject({ rows: 2, mean: 1, masked: 1, maskedBy: { judge: 1 } });
});

test("a scorer's judge that dies gives no score instead of 0", async () => {
  await using model = await ModelServer.open({
    say: () => ({ content: '{"score": 0.75, "reason": "good"}' }),
    trouble: (request) => (request === 1 ? 500 : undefined),
  });
  await using lake = frozenLake();
  const rows = await playAll(lake, seedRows([42, 42, 42]), { agent: scriptedAgent(lakeMoves(solution)) });
  const ask = openaiChatModel({ model: "judge", baseUrl: model.baseUrl, retries: 0, ...quick });
  const scored = await scoreTraces(
    rows.map(({ trace }) => trace),
    modelJudge(ask, { criteria: "Be kind." }),
    { concurrency: 1 },
  );
  expect(scored.map(({ score: { score } }) => score)).toEqual([0.75, null, 0.75]);
  expect(summarize(scored)).toMatchObject({ mean: 0.75, masked: 1, invalidScores: 1, maskedBy: { judge: 1 } });
});

test("a simulated user that dies masks the rollout", async () => {
  await using model = await ModelServer.open({ say: () => ({ content: "Hi" }), trouble: () => 503 });
  await using lake = frozenLake();
  const user = simulatedUsers(openaiChatModel({ model: "user", baseUrl: model.baseUrl, retries: 0, ...quick }));
  const info = { user_simulation: { enabled: true, system_prompt: "You want to cross." } };
  const rows = seedRows([42]).map((row) => ({
    ...row,
    input_metadata: { ...row.input_metadata, dataset_info: { ...row.input_metadata?.dataset_info, ...info } },
  }));
  const played = await playAll(lake, rows, { agent: scriptedAgent(["Hello?"]), user });
  expect([rewardsOf(played), failuresOf(played)]).toEqual([[null], ["simulator"]]);
});

test("a rollout is repeated after a failure that may pass, and its trace lists the attempts", async () => {
  await using model = await ModelServer.open({
    say: walker(solution),
    trouble: (request) => (request === 2 || request === 4 ? 500 : undefined),
  });
  await using lake = frozenLake();
  const folder = await mkdtemp(join(tmpdir(), "biplane-failures-"));
  await using store = await openStore(join(folder, "store.db"));
  const agent = openaiAgent({ model: "m", baseUrl: model.baseUrl, retries: 0, ...quick });
  const [row] = await playAll(lake, seedRows([42]), { agent, retries: 2, run: "r", store, ...quick });
  expect(row?.trace).toMatchObject({
    totalReward: 1,
    attempts: [
      { steps: 2, failure: { kind: "model", masked: true } },
      { steps: 1, failure: { kind: "model", masked: true } },
    ],
  });
  expect(row?.trace.failure).toBeUndefined();
  expect(row?.trace.steps).toHaveLength(6);
  expect(await readTraces(store, "r")).toEqual([JSON.parse(JSON.stringify(row?.trace))]);
  expect(await findRun(store, "r")).toMatchObject({ ended: 1, failed: 0 });
  await rm(folder, { recursive: true });
});

test("an agent's own failure and a broken environment are not repeated", async () => {
  let begun = 0;
  await using lake = frozenLake();
  const agent = scriptedAgent(() => {
    begun++;
    throw new Error("out of ideas");
  });
  await playAll(lake, seedRows([42]), { agent, retries: 3, ...quick });
  expect(begun).toBe(1);
});

test("stored figures, lists, exports and comparisons leave masked rollouts out and count them", async () => {
  await using lake = frozenLake();
  const folder = await mkdtemp(join(tmpdir(), "biplane-failures-"));
  await using store = await openStore(join(folder, "store.db"));
  const agent = scriptedAgent(({ step }, { index }) => {
    if (index === 1) throw Object.assign(new Error("the model is away"), { status: 503 });
    return index === 2 ? { tool: "lake_move", input: { action: "RIGHT" } } : lakeMoves(solution)[step];
  });
  const rows = await playAll(lake, seedRows([42, 42, 42]), { agent, run: "r", store });
  expect(rewardsOf(rows)).toEqual([1, null, 0]);
  const { summary, curve, distribution } = await figuresOf(store, await findRun(store, "r"));
  expect(summary).toMatchObject({ rows: 2, rollouts: 3, masked: 1, maskedBy: { model: 1 }, mean: 0.5 });
  expect([curve.at(-1), distribution]).toEqual([
    { rollouts: 2, reward: expect.any(Number), running: 0.5 },
    [
      { from: 0, to: 0, count: 1 },
      { from: 1, to: 1, count: 1 },
    ],
  ]);
  const page = async (query: object) =>
    (await pageOfTraces(store, "r", { order: "reward", isDescending: true, limit: 9, ...query })).rows.map(
      ({ row_index: index }) => index,
    );
  expect(await page({})).toEqual([0, 2, 1]);
  expect(await page({ maxReward: 0 })).toEqual([2]);
  expect(await page({ minReward: -5 })).toEqual([0, 2]);
  expect(await page({ reason: "error: model" })).toEqual([1]);
  const scored = await scoreTraces(await readTraces(store, "r"), totalReward);
  expect(evalProtocolLines(scored)[1]).toMatchObject({
    rollout_status: { code: 14 },
    evaluation_result: { score: 0, is_score_valid: false },
  });
  expect(openaiLines(scored)).toHaveLength(2);
  expect(rolloutCsv(scored).split("\r\n")[2]).toContain(",,false,model: the model is away,,model,true,");
  const same = scored.map(({ trace, score }) => ({ trace: { ...trace, index: 0 }, score }));
  expect(groupsOf(same)[0]?.members.map(({ advantage }) => advantage)).toEqual([1, null, -1]);
  expect(preferenceLines(same)).toMatchObject([{ score_chosen: 1, score_rejected: 0 }]);
  expect(compareRuns(scored, scored)).toMatchObject({ masked: ["seed_42#1"], equal: 2, difference: { mean: 0 } });
  await rm(folder, { recursive: true });
});

test("a run in which everything failed has no average, not one of 0", async () => {
  await using lake = frozenLake();
  const agent = scriptedAgent(() => {
    throw Object.assign(new Error("away"), { status: 503 });
  });
  const rows = await playAll(lake, seedRows([1, 2]), { agent });
  expect(await summaryOf(rows)).toMatchObject({
    rows: 0,
    rollouts: 2,
    masked: 2,
    mean: null,
    interval: null,
    passAt: {},
  });
});
