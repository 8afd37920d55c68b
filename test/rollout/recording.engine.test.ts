import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { environment } from "biplane";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cliffWalking } from "../../packages/gallery/src/cliff-walking/cliff-walking.ts";
import { frozenLake } from "../../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { playbackAgent } from "../../packages/biplane/src/rollout/agent/playback.ts";
import { randomAgent } from "../../packages/biplane/src/rollout/agent/random.ts";
import { scriptedAgent } from "../../packages/biplane/src/rollout/agent/scripted.ts";
import { showDivergence } from "../../packages/biplane/src/rollout/divergence.ts";
import { parseRecording, readRecording } from "../../packages/biplane/src/rollout/eval-protocol-recording.ts";
import { replayTraces } from "../../packages/biplane/src/rollout/replay.ts";
import type { Replayed } from "../../packages/biplane/src/rollout/replay.ts";
import { seedRows } from "../../packages/biplane/src/rollout/row.ts";
import type { Trace } from "../../packages/biplane/src/rollout/trace.ts";
import { lakeMoves, playAll, solution, timeless } from "./playing.ts";

let folder = "";
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "biplane-recording-"))));
afterAll(() => rm(folder, { recursive: true }));

test("recorded once, it plays back a hundred times the same", async () => {
  await using lake = frozenLake();
  const file = join(folder, "hundred.jsonl");
  const rows = seedRows([42, 1, 2]);
  const recorded = await playAll(lake, rows, { agent: randomAgent(), env: { EP_PLAYBACK_FILE: file }, steps: 20 });
  const story = recorded.map(({ trace }) => timeless(trace));
  const thrower = scriptedAgent(() => expect.fail("a playback needs no agent"));
  for (let time = 0; time < 100; time++) {
    const played = await playAll(lake, rows, { agent: thrower, env: { EP_PLAYBACK_FILE: file }, steps: 20 });
    expect(played.map(({ trace }) => timeless(trace))).toEqual(story);
  }
});

test("a recording has a line for every step, with everything said so far, as Eval Protocol writes it", async () => {
  await using lake = frozenLake();
  const file = join(folder, "format.jsonl");
  await playAll(lake, seedRows([42]), { agent: scriptedAgent(lakeMoves(solution)), record: file });
  const lines = (await readFile(file, "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { env_index: number; step: number; messages: unknown[] });
  expect(lines.map((line) => [line.env_index, line.step, line.messages.length])).toEqual([
    ...solution.map((_, step) => [0, step, 3 + 2 * step]),
    [0, 5, 13],
  ]);
  expect(lines[0]?.messages).toMatchObject([
    { role: "user" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ type: "function", function: { name: "lake_move", arguments: '{"action":"DOWN"}' } }],
    },
    {
      role: "tool",
      tool_call_id: "call_0_0",
      metadata: {
        reward: 0,
        terminated: false,
        info: { steps: 0, tool_call: "lake_move", arguments: { action: "DOWN" } },
      },
      control_plane_step: {
        step: 0,
        reward: 0,
        terminated: false,
        num_tool_calls: 1,
        tool_calls: ["lake_move({'action': 'DOWN'})"],
      },
    },
  ]);
});

test("a recording of Eval Protocol's own plays, multi-call turns once, and ends properly", async () => {
  await using lake = frozenLake({ colors: true });
  const grid = String.raw`\n\u001b[41mS\u001b[0mFHF\nFHFF\nFFFH\nFHFG\n`;
  const call = (id: string, action: string) => ({
    id,
    type: "function",
    function: { name: "lake_move", arguments: JSON.stringify({ action }) },
  });
  const answer = (id: string, content: string) => ({
    role: "tool",
    tool_call_id: id,
    content,
    metadata: { reward: 0.0, terminated: false },
  });
  const messages = [
    { role: "system", content: "Play." },
    { role: "user", content: `{"position": 0, "grid": "${grid}"}` },
    { role: "assistant", content: null, tool_calls: [call("a", "DOWN"), call("b", "DOWN")] },
    answer(
      "a",
      String.raw`{"position": 4, "grid": "  (Down)\nSFHF\n\u001b[41mF\u001b[0mHFF\nFFFH\nFHFG\n", "action": "DOWN"}`,
    ),
    answer(
      "b",
      String.raw`{"position": 8, "grid": "  (Down)\nSFHF\nFHFF\n\u001b[41mF\u001b[0mFFH\nFHFG\n", "action": "DOWN"}`,
    ),
  ];
  const lines = [
    { env_index: 0, step: 0, messages: messages.slice(0, 4) },
    { env_index: 0, step: 1, messages },
  ];
  const recording = parseRecording(
    `\nnonsense\n[1]\n{"env_index":0}\n${lines.map((line) => JSON.stringify(line)).join("\n")}\n`,
  );
  const rows = seedRows([42], { system: "Play." });
  const [row] = await playAll(lake, rows, { agent: playbackAgent(recording) });
  expect(row?.trace.ending).toEqual({ reason: "stop", terminated: false, truncated: false });
  expect(row?.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "tool"]);
});

test("a recording without the agent's messages is played by its answers", async () => {
  await using lake = frozenLake();
  const [row] = await playAll(lake, seedRows([42]), { agent: scriptedAgent(lakeMoves(solution)) });
  const messages = row?.messages.filter(({ role }) => role !== "assistant") ?? [];
  const recording = parseRecording(JSON.stringify({ env_index: "0", step: 5, messages }));
  const [again] = await playAll(lake, seedRows([42]), { agent: playbackAgent(recording) });
  expect(again?.trace).toMatchObject({ totalReward: 1, ending: { reason: "control_plane_signal" } });
});

test("a rollout that was not recorded is an error, not an empty playback", async () => {
  await using lake = frozenLake();
  const recording = parseRecording('{"env_index":0,"step":0,"messages":[]}');
  const [, row] = await playAll(lake, seedRows([1, 2]), { agent: playbackAgent(recording) });
  expect(row?.trace.ending).toMatchObject({ reason: "error", message: "The recording has no rollout 1." });
});

test("a file with nothing in it to play says so", async () => {
  const file = join(folder, "empty.jsonl");
  await writeFile(file, "\n{}\n");
  await expect(readRecording(file)).rejects.toThrow("It is not a recording.");
});

test("a changed environment is caught at the first step that differs, with a diff", async () => {
  const before = counter();
  const traces = (await playAll(before, seedRows([1]), { agent: scriptedAgent([add, add, add, "done"]) })).map(
    ({ trace }) => trace,
  );
  const after = counter({ at: 2, count: 99 });
  const [replayed] = await replayAll(traces, after);
  expect(replayed?.divergence).toMatchObject({
    step: 1,
    what: "observation",
    expected: '{"count":2}',
    actual: '{"count":99}',
  });
  expect(replayed?.trace.ending).toMatchObject({ reason: "error", kind: "environment" });
  expect(replayed?.trace.steps).toHaveLength(2);
  expect(showDivergence(replayed?.divergence ?? expect.fail())).toBe(
    "The playback differs at step 1: observation\n  observation.count:\n    - 2\n    + 99",
  );
  await Promise.all([before.close(), after.close()]);
});

test.each([
  ["reward", { at: 2, reward: 7 }, 1],
  ["terminated", { at: 3, terminated: true }, 2],
] as const)("a changed %s is caught", async (what, change, step) => {
  await using before = counter();
  const traces = (await playAll(before, seedRows([1]), { agent: scriptedAgent([add, add, add, "done"]) })).map(
    ({ trace }) => trace,
  );
  await using after = counter(change);
  const [replayed] = await replayAll(traces, after);
  expect(replayed?.divergence).toMatchObject({ what, step });
});

test("a trace of one server plays against another over any wire", async () => {
  await using lake = frozenLake();
  const { url } = await lake.serve({ url: "http://127.0.0.1:0" });
  const rows = [...seedRows([42]), { messages: [{ role: "user", content: "Play." }] }];
  const traces = (await playAll(lake, rows, { agent: randomAgent(), steps: 8 })).map(({ trace }) => trace);
  for (const target of [lake, `${url}/mcp`, url]) {
    const replayed = await replayAll(traces, target);
    expect(replayed.map(({ divergence }) => divergence)).toEqual([undefined, undefined]);
  }
  await using cliff = cliffWalking();
  const [other] = await replayAll(traces.slice(0, 1), cliff);
  expect(other?.divergence).toMatchObject({ what: "prompt", step: -1 });
});

test("openaiFormatLogFile has a line for each rollout that the environment ended, and for no other", async () => {
  await using lake = frozenLake();
  const file = join(folder, "log.jsonl");
  const agent = scriptedAgent(({ step }, { index }) => (index === 0 ? lakeMoves(solution)[step] : "I give up."));
  await playAll(lake, seedRows([42, 43]), { agent, openaiFormatLogFile: file });
  const lines = (await readFile(file, "utf8")).trim().split("\n");
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    messages: expect.arrayContaining([expect.objectContaining({ control_plane_step: expect.anything() })]),
    metadata: {
      seed: 42,
      total_steps: 6,
      total_reward: 1,
      terminated: true,
      success: true,
      control_plane_summary: { total_reward: 1, termination_reason: "control_plane_signal", final_step: 5 },
    },
  });
});

test("no text breaks the reader of recordings", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.json())), (lines) => {
      const good = '{"env_index":1,"step":0,"messages":[]}';
      expect(parseRecording([...lines.filter((line) => !line.includes("env_index")), good].join("\n")).has("1")).toBe(
        true,
      );
    }),
  );
});

const add = { tool: "add", input: {} };

async function replayAll(traces: readonly Trace[], target: Parameters<typeof replayTraces>[1]): Promise<Replayed[]> {
  const replayed: Replayed[] = [];
  for await (const each of replayTraces(traces, target)) replayed.push(each);
  return replayed.sort((a, b) => a.trace.index - b.trace.index);
}

interface Change {
  readonly at: number;
  readonly count?: number;
  readonly reward?: number;
  readonly terminated?: boolean;
}

/** Counts, and from some step on counts otherwise. */
function counter({ at, count, reward = 1, terminated = false }: Change = { at: Infinity }) {
  return environment({
    name: "counter",
    version: "1.0.0",
    start: () => ({ count: 0 }),
    observe: (state) => ({ count: state.count >= at && count !== undefined ? count : state.count }),
    tools: (tool) => ({ add: tool({ run: (_, { state }) => void state.count++ }) }),
    reward: ({ after }) => (after.count >= at ? reward : 1),
    status: (state) => ({ terminated: state.count >= at && terminated }),
  });
}
