import { PassThrough, Readable } from "node:stream";
import { ask, environment } from "biplane";
import { expect, test } from "vitest";
import type { Turn } from "../../packages/biplane/src/rollout/agent/agent.ts";
import { noToolCall, playbackTerminate } from "../../packages/biplane/src/rollout/agent/agent.ts";
import { greedyAgent } from "../../packages/biplane/src/rollout/agent/greedy.ts";
import { personAgent } from "../../packages/biplane/src/rollout/agent/person.ts";
import { randomAgent } from "../../packages/biplane/src/rollout/agent/random.ts";
import { scriptedAgent } from "../../packages/biplane/src/rollout/agent/scripted.ts";
import { groupsOf } from "../../packages/biplane/src/rollout/group.ts";
import { make } from "../../packages/biplane/src/rollout/make.ts";
import { rollout } from "../../packages/biplane/src/rollout/rollout.ts";
import { seedRows } from "../../packages/biplane/src/rollout/row.ts";
import { scoreTraces, totalReward } from "../../packages/biplane/src/rollout/score/scorer.ts";
import { frozenLake } from "../../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { cliffWalking } from "../../packages/gallery/src/cliff-walking/cliff-walking.ts";
import { lakeMoves, playAll, solution, timeless } from "./playing.ts";

test("the known path across the lake of seed 42 earns 1, and every step records its result", async () => {
  await using lake = frozenLake();
  const [row] = await playAll(lake, seedRows([42]), { agent: scriptedAgent(lakeMoves(solution)) });
  const { trace, messages, rollout_status: status, tools } = row ?? expect.fail("nothing was played");
  expect(trace.ending).toEqual({ reason: "control_plane_signal", terminated: true, truncated: false });
  expect([trace.totalReward, trace.steps.map(({ reward }) => reward)]).toEqual([1, [0, 0, 0, 0, 0, 1]]);
  expect(messages.map(({ role }) => role)).toEqual(["user", ...solution.flatMap(() => ["assistant", "tool"])]);
  expect(messages.at(-1)?.control_plane_step).toEqual({
    step: 5,
    reward: 1,
    terminated: true,
    info: { reward_source: "environment", status_source: "environment" },
    tool_calls: ["lake_move({'action': 'RIGHT'})"],
    num_tool_calls: 1,
    termination_reason: "control_plane_signal",
  });
  expect([status.status, status.termination_reason]).toEqual(["finished", "control_plane_signal"]);
  expect(status).toMatchObject({ code: 100, details: [{ metadata: { termination_reason: "control_plane_signal" } }] });
  expect(tools.map((tool) => tool.function.name)).toEqual(["lake_move"]);
  expect(lake.episodes.size).toBe(0);
});

test("what the environment ends and what a limit ends are kept apart", async () => {
  await using lake = frozenLake();
  const rows = seedRows([42], { config: { max_steps: 2 } });
  const [row] = await playAll(lake, rows, { agent: scriptedAgent(lakeMoves(solution)) });
  expect(row?.trace.ending).toEqual({ reason: "control_plane_signal", terminated: false, truncated: true });
  expect(row?.messages.at(-1)?.control_plane_step).toMatchObject({ terminated: false, truncated: true });
});

test("a step limit ends the rollout, and calls that were not made are answered as such", async () => {
  await using lake = frozenLake();
  const [row] = await playAll(lake, seedRows([42]), { agent: scriptedAgent([lakeMoves(solution)]), steps: 2 });
  expect(row?.trace.ending.reason).toBe("max_steps");
  expect(row?.trace.steps).toHaveLength(2);
  const calls = row?.messages.find((message) => message.tool_calls)?.tool_calls ?? [];
  const answers = row?.messages.filter(({ role }) => role === "tool") ?? [];
  expect(answers.map((message) => message.tool_call_id)).toEqual(calls.map(({ id }) => id));
  expect(answers.slice(2).every(({ content }) => JSON.stringify(content).includes("not_executed"))).toBe(true);
});

test("a refused call costs a turn, but no reward is counted for it twice", async () => {
  await using cliff = cliffWalking();
  const moves = ["RIGHT", "JUMP", "UP"].map((action) => ({ tool: "cliff_move", input: { action } }));
  const [row] = await playAll(cliff, seedRows([1]), { agent: scriptedAgent(moves) });
  expect(row?.trace.steps.map(({ reward, stepCount }) => [reward, stepCount])).toEqual([
    [-100, 1],
    [0, 1],
    [-1, 2],
  ]);
  expect(row?.trace.steps[1]?.call?.isError).toBe(true);
});

test.each([
  ["not json", "{oops", /not valid JSON/],
  ["no object", "[1]", /must be a JSON object/],
])("tool arguments that are %s are fed back, and the model goes on", async (_, text, message) => {
  await using lake = frozenLake();
  const bad: Turn = {
    message: { role: "assistant", content: null, tool_calls: [call("a", "lake_move", text)] },
    finishReason: "tool_calls",
  };
  const [row] = await playAll(lake, seedRows([42]), { agent: scriptedAgent([bad, ...lakeMoves(solution)]) });
  expect(row?.messages[2]).toMatchObject({ role: "tool", tool_call_id: "a" });
  expect(JSON.stringify(row?.messages[2]?.content)).toMatch(message);
  expect([row?.trace.totalReward, row?.trace.steps.length]).toEqual([1, 7]);
});

test.each([
  ["stop", "stop", undefined],
  ["length", "length", undefined],
  ["tool_calls", "tool_calls", undefined],
  ["content_filter", "stop", "content_filter"],
  ["", "stop", ""],
])("a model that ends with %j ends the rollout with %j", async (finishReason, reason, kept) => {
  await using lake = frozenLake();
  const turn: Turn = { message: { role: "assistant", content: "Enough." }, finishReason };
  const [row] = await playAll(lake, seedRows([1]), { agent: scriptedAgent([turn]) });
  expect([row?.trace.ending.reason, row?.trace.ending.finishReason]).toEqual([reason, kept]);
});

test.each([noToolCall, playbackTerminate])("%s ends the rollout and is no call", async (name) => {
  await using lake = frozenLake();
  const [row] = await playAll(lake, seedRows([1]), { agent: scriptedAgent([{ tool: name, input: {} }]) });
  expect([row?.trace.ending.reason, row?.trace.steps.length]).toEqual([name === noToolCall ? "tool_calls" : "stop", 0]);
});

test("an agent that fails keeps the trace as far as it went, and the others play on", async () => {
  await using lake = frozenLake();
  const agent = scriptedAgent(({ step }, { index }) => {
    if (index === 1 && step === 2) throw new Error("out of ideas");
    return lakeMoves(solution)[step];
  });
  const rows = await playAll(lake, seedRows([42, 42, 42]), { agent });
  expect(rows.map(({ trace }) => [trace.ending.reason, trace.steps.length])).toEqual([
    ["control_plane_signal", 6],
    ["error", 2],
    ["control_plane_signal", 6],
  ]);
  expect(rows[1]?.trace.ending).toMatchObject({ kind: "agent", message: "out of ideas" });
  expect(rows[1]?.rollout_status).toMatchObject({
    code: 100,
    status: "finished",
    termination_reason: "error",
    extra_info: { error_kind: "agent", error_message: "out of ideas", masked: false },
  });
  expect(lake.episodes.size).toBe(0);
});

test("an environment that cannot start and a row that cannot be played are failures of the environment", async () => {
  await using broken = counter({ start: () => expect.fail("no playground to stand on") });
  const [failed] = await playAll(broken, seedRows([1]), { agent: randomAgent(), sleep: async () => undefined });
  expect(failed?.trace.ending).toMatchObject({ reason: "error", kind: "environment" });
  expect(failed?.trace.ending.message).toContain("no playground to stand on");
  await using sound = counter({});
  const rows = seedRows([1], { prompt: "Hello {nobody}" });
  const [bad] = await playAll(sound, rows, { agent: randomAgent() });
  expect(bad?.trace.ending).toMatchObject({ kind: "environment" });
  expect(bad?.trace.ending.message).toContain("uses {nobody}, which is unknown. Known: seed, observation");
  expect(sound.episodes.size).toBe(0);
});

test("a start that fails for a moment is tried again", async () => {
  let attempts = 0;
  await using shy = counter({
    start: () => {
      if (++attempts < 3) throw new Error("not now");
      return { count: 0 };
    },
  });
  const [row] = await playAll(shy, seedRows([1]), { agent: scriptedAgent(["done"]), sleep: async () => undefined });
  expect([row?.trace.ending.reason, attempts]).toEqual(["stop", 3]);
});

test("a reward that throws is no end, but the rollout has no reward", async () => {
  await using odd = counter({
    reward: () => {
      throw new Error("scales are broken");
    },
  });
  const [row] = await playAll(odd, seedRows([1]), { agent: scriptedAgent([add, add, "done"]) });
  const failure = { kind: "judge", message: "reward failed: scales are broken", masked: true };
  expect(row?.trace).toMatchObject({ ending: { reason: "stop" }, totalReward: null, failure });
  expect(row?.trace.steps.map((step) => [step.reward, step.failure])).toEqual([
    [null, failure],
    [null, undefined],
  ]);
});

test("parts of a reward are in the trace and in the summary of the step", async () => {
  await using parts = counter({ reward: () => ({ found: 1, tries: -0.25 }) });
  const [row] = await playAll(parts, seedRows([1]), { agent: scriptedAgent([add, "done"]) });
  expect(row?.trace.steps[0]).toMatchObject({ reward: 0.75, parts: { found: 1, tries: -0.25 } });
  expect(row?.messages[2]?.control_plane_step?.info["reward_parts"]).toEqual({ found: 1, tries: -0.25 });
});

test("a reader that stops iterating stops the run, and nothing is left behind", async () => {
  await using lake = frozenLake();
  await using envs = await make(lake, { rows: seedRows(Array.from({ length: 50 }, (_, at) => at)) });
  let seen = 0;
  for await (const _ of rollout(envs, { agent: randomAgent(), concurrency: 4, env: {} })) if (++seen === 5) break;
  expect([seen, lake.episodes.size]).toEqual([5, 0]);
});

test("a signal ends what is under way with partial traces", async () => {
  await using lake = frozenLake();
  const stop = new AbortController();
  const agent = scriptedAgent(async ({ step, signal }) => {
    if (step === 1) stop.abort();
    signal.throwIfAborted();
    return lakeMoves(["LEFT"])[0];
  });
  const rows = await playAll(lake, seedRows([1, 2, 3]), { agent, signal: stop.signal, concurrency: 1 });
  expect(rows.map(({ trace }) => [trace.ending.kind, trace.steps.length])).toEqual([["cancelled", 1]]);
  expect(lake.episodes.size).toBe(0);
});

test("the random agent plays a row the same way each time, and its repetitions differently", async () => {
  await using lake = frozenLake();
  const play = () => playAll(lake, seedRows([1, 2]), { agent: randomAgent(), repetitions: 3, concurrency: 6 });
  const [one, other] = [await play(), await play()];
  expect(other.map(({ trace }) => timeless(trace))).toEqual(one.map(({ trace }) => timeless(trace)));
  const actions = one.slice(0, 3).map(({ trace }) => JSON.stringify(trace.steps.map(({ call: made }) => made?.input)));
  expect(new Set(actions).size).toBe(3);
});

test("a group begins from one forked episode, and its advantages add up to nothing", async () => {
  let starts = 0;
  await using dice = counter({ start: ({ random }) => ({ count: (starts++, random.integers(1000)) }) });
  const agent = scriptedAgent(({ step }, { repetition }) => (step < repetition ? add : undefined));
  const rows = await playAll(dice, seedRows([5, 6]), { agent, repetitions: 4, fork: true });
  expect(starts).toBe(2);
  expect(new Set(rows.slice(0, 4).map(({ trace }) => JSON.stringify(trace.observation))).size).toBe(1);
  const groups = groupsOf(
    await scoreTraces(
      rows.map(({ trace }) => trace),
      totalReward,
    ),
  );
  expect(groups.map(({ members }) => members.map(({ score }) => score.score))).toEqual([
    [0, 1, 2, 3],
    [0, 1, 2, 3],
  ]);
  const advantages = groups[0]?.members.map(({ advantage }) => advantage) ?? [];
  expect(advantages.reduce<number>((sum, each) => sum + Number(each), 0)).toBeCloseTo(0);
  expect(advantages[3]).toBeCloseTo(1.3416, 3);
});

test("a simulated user keeps the conversation going until it says the word", async () => {
  await using kit = counter({});
  const replies = ["I want two.", "Thank you ###STOP###"];
  const user = () => ({
    reply: async () => {
      const text = replies.shift() ?? "";
      return {
        text,
        isLast: text.includes("###STOP###"),
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      };
    },
  });
  const rows = [{ messages: [{ role: "user", content: "Hello" }] }];
  const agent = scriptedAgent(["How can I help?", add, "Here you are."]);
  const [row] = await playAll(kit, rows, { agent, user });
  expect(row?.trace.ending.reason).toBe("user_stop");
  expect(row?.messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "user",
    "assistant",
    "tool",
    "assistant",
    "user",
  ]);
  expect(row?.trace.usage.total_tokens).toBe(4);
});

test("a call that is not approved is in the trace as rejected", async () => {
  await using guarded = counter({});
  guarded.policy(() => ask("Really?"));
  const [row] = await playAll(guarded, seedRows([1]), { agent: scriptedAgent([add, "done"]) });
  expect(row?.trace.steps[0]).toMatchObject({ reward: 0, call: { isError: true, approval: { status: "rejected" } } });
  expect(row?.trace.ending.reason).toBe("stop");
});

test("a person plays at the terminal", async () => {
  await using lake = frozenLake();
  const input = Readable.from([
    "lake_move FLY away now\n",
    "lake_move action=DOWN\n",
    'lake_move {"action":"DOWN"}\n',
    "RIGHT\n",
    "Enough.\n",
  ]);
  const output = new PassThrough();
  const [row] = await playAll(lake, seedRows([42]), { agent: personAgent({ input, output }) });
  expect(row?.trace.steps.map(({ call: made }) => made?.input)).toEqual([
    { action: "DOWN" },
    { action: "DOWN" },
    { action: "RIGHT" },
  ]);
  expect(row?.messages.at(-1)).toEqual({ role: "assistant", content: "Enough." });
  expect(String(output.read())).toContain("There is no parameter for away");
});

test("the greedy agent looks one step ahead, or uses the given scorer", async () => {
  await using lake = frozenLake();
  const ahead = await playAll(lake, seedRows([42, 1, 2]), { agent: greedyAgent(), steps: 100 });
  expect(ahead.every(({ trace }) => trace.ending.truncated || trace.totalReward === 1)).toBe(true);
  const down = greedyAgent({ value: ({ input }) => (input["action"] === "DOWN" ? 1 : 0) });
  const [row] = await playAll(lake, seedRows([42]), { agent: down, steps: 3 });
  expect(row?.trace.steps.map(({ call: made }) => made?.input)).toEqual([
    { action: "DOWN" },
    { action: "DOWN" },
    { action: "DOWN" },
  ]);
  expect(lake.episodes.size).toBe(0);
});

const add = { tool: "add", input: {} };

function call(id: string, name: string, text: string) {
  return { id, type: "function" as const, function: { name, arguments: text } };
}

interface CounterParts {
  readonly start?: (options: { random: { integers(high: number): number } }) => { count: number };
  readonly reward?: () => number | Record<string, number>;
}

function counter({ start = () => ({ count: 0 }), reward = () => 1 }: CounterParts) {
  return environment({
    name: "counter",
    version: "1.0.0",
    onFault: () => undefined,
    start,
    observe: ({ count }) => ({ count }),
    tools: (tool) => ({ add: tool({ description: "Count", run: (_, { state }) => void state.count++ }) }),
    reward,
  });
}
