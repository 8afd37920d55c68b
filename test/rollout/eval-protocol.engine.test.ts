import { expect, test } from "vitest";
import { cliffWalking } from "../../packages/gallery/src/cliff-walking/cliff-walking.ts";
import { frozenLake } from "../../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { scriptedAgent } from "../../packages/biplane/src/rollout/agent/scripted.ts";
import { randomAgent } from "../../packages/biplane/src/rollout/agent/random.ts";
import { playbackAgent } from "../../packages/biplane/src/rollout/agent/playback.ts";
import { defaultTimeouts, playbackTimeouts } from "../../packages/core/src/client/environment/control-plane.ts";
import { parseRows, seedRows } from "../../packages/biplane/src/rollout/row.ts";
import { CrookedServer, cut, hang } from "./crooked-server.ts";
import type { Manners } from "./crooked-server.ts";
import { lakeMoves, playAll, solution, timeless } from "./playing.ts";

const act = { tool: "act", input: { x: 1 } };
/** Short only where the server hangs: elsewhere a busy machine must not look like one that does. */
const timeouts = { initialMs: 150, stepMs: 100 };

/** Two calls and a last word, against a server with these manners. */
async function visit(manners: Manners, script: readonly (typeof act | string)[] = [act, act, "done"]) {
  await using server = await CrookedServer.open(manners);
  const isHanging = Object.values(manners.control ?? {}).includes("hang");
  const options = { agent: scriptedAgent(script), make: isHanging ? { timeouts } : {}, sleep: async () => undefined };
  const [row] = await playAll(server.url, seedRows([7]), options);
  const { trace, messages } = row ?? expect.fail("nothing was played");
  return { trace, messages, server, faults: trace.steps.flatMap((step) => step.faults) };
}

test("a well-behaved server is greeted, listed, asked and given back in Eval Protocol's order", async () => {
  const { trace, server } = await visit({}, [act, act, act, act]);
  expect(trace.ending).toMatchObject({ reason: "control_plane_signal", terminated: true });
  expect([trace.totalReward, trace.controlFailures, trace.source]).toEqual([3, 0, "control_plane"]);
  const order = server.requests.map(
    ({ method, path, body }) => (body["method"] as string | undefined) ?? `${method} ${path}`,
  );
  expect(order.slice(0, 4)).toEqual([
    "initialize",
    "notifications/initialized",
    "tools/list",
    "GET /control/initial_state",
  ]);
  expect(order.slice(-2)).toEqual(["POST /control/reset_session", "DELETE /mcp"]);
  const greeting = server.requests[0]?.body["params"] as { clientInfo: { _extra: object } };
  expect(greeting.clientInfo._extra).toEqual({
    session_id: trace.sessionId,
    seed: 7,
    config: { seed: 7 },
    dataset_row_id: "seed_7",
    model_id: "unknown",
  });
  const control = server.requests.filter(({ path }) => path.startsWith("/control/"));
  expect(control.every(({ headers }) => headers["mcp-session-id"] === trace.sessionId)).toBe(true);
  expect(control.at(-1)?.body).toEqual({ seed: 7 });
});

test("the timeouts are those of the contract by default", () => {
  expect(defaultTimeouts).toEqual({ initialMs: 15_000, stepMs: 3000 });
  expect(playbackTimeouts).toEqual({ initialMs: 3000, stepMs: 3000 }); // designs/eval-protocol-shapes.test.ts waits for it
});

test("a playback waits for the initial state as long as its timeouts say", async () => {
  await using server = await CrookedServer.open({ control: { initial_state: "hang" } });
  const recording = new Map([["0", { messages: [{ role: "user", content: "Go." }] }]]);
  const [row] = await playAll(server.url, seedRows([7]), { agent: playbackAgent(recording), make: { timeouts } });
  expect(row?.trace.faults).toEqual([{ what: "initial_state", why: "Timed out after 150 ms." }]);
});

test.each<[string, Manners, unknown, string]>([
  [
    "hangs",
    { control: { initial_state: "hang" }, resources: [{ uri: "game://start", name: "s", text: '{"a":1}' }] },
    { a: 1 },
    "resource",
  ],
  [
    "fails",
    { control: { initial_state: { status: 500 } }, resources: [{ uri: "x://a", name: "alpha", text: "plain" }] },
    { observation: "plain" },
    "resource",
  ],
  [
    "is null",
    {
      control: { initial_state: () => null },
      resources: [
        { uri: "x://a", name: "a" },
        { uri: "game://initial_state", name: "b", text: "[1]" },
      ],
    },
    [1],
    "resource",
  ],
  [
    "is no JSON",
    { control: { initial_state: { raw: "<html>" } }, resources: [{ uri: "x://a", name: "a", blob: "AA==" }] },
    { observation: expect.stringContaining("AA==") },
    "resource",
  ],
  [
    "fails and there are no resources",
    { control: { initial_state: { status: 500 } }, resources: [] },
    { observation: "default_initial_state", session_id: expect.any(String) },
    "default",
  ],
  [
    "fails and resources are unknown",
    { control: { initial_state: { status: 500 } } },
    { observation: "initial_state", message: "Session established" },
    "default",
  ],
])("an initial state that %s is replaced, and that is said", async (_, manners, observation, source) => {
  const { trace } = await visit(manners);
  expect(trace.observation).toEqual(observation);
  expect([trace.source, trace.ending.reason]).toEqual([source, "stop"]);
  expect(trace.faults).toMatchObject([{ what: "initial_state" }]);
  expect(trace.controlFailures).toBe(1);
});

test.each<[string, NonNullable<Manners["control"]>, string]>([
  ["hang", { reward: "hang", status: "hang" }, "Timed out after 100 ms."],
  ["answer 500", { reward: { status: 500 }, status: { status: 500 } }, "status 500"],
  ["are no JSON", { reward: { raw: "oops" }, status: { raw: "" } }, "the body is not a JSON object"],
  ["are no objects", { reward: () => [1], status: () => 3 }, "the body is not a JSON object"],
])("rewards and statuses that %s are unknown and not over, counted and shown", async (_, control, why) => {
  const { trace, faults, messages } = await visit({ control });
  expect([trace.totalReward, trace.ending.reason, trace.controlFailures]).toEqual([null, "stop", 4]);
  expect(trace.failure).toEqual({ kind: "infrastructure", message: `The reward is unknown: ${why}`, masked: true });
  expect(faults).toEqual([
    { what: "reward", why },
    { what: "status", why },
    { what: "reward", why },
    { what: "status", why },
  ]);
  expect(messages.find((message) => message.control_plane_step)?.control_plane_step?.info).toEqual({});
});

test.each<[string, unknown, string]>([
  ["null", { reward: null }, "the reward is null, not a number"],
  ["text", { reward: "1" }, 'the reward is "1", not a number'],
])("a reward that is %s is unknown, and that is said", async (_, reward, why) => {
  const { trace, faults } = await visit({ control: { reward: () => reward } });
  expect([trace.totalReward, trace.failure?.kind, faults[0]]).toEqual([
    null,
    "infrastructure",
    { what: "reward", why },
  ]);
});

test("the word false does not end an episode", async () => {
  const { trace, faults } = await visit({ control: { status: () => ({ terminated: "false", truncated: 0 }) } });
  expect(trace.ending).toMatchObject({ reason: "stop", terminated: false, truncated: false });
  expect([trace.totalReward, trace.failure?.kind]).toEqual([null, "infrastructure"]);
  expect(faults.slice(0, 2).map(({ why }) => why)).toEqual(['terminated is "false"', "truncated is 0"]);
});

test("truncated is not terminated", async () => {
  const { trace } = await visit({ control: { status: () => ({ terminated: false, truncated: true }) } });
  expect(trace.ending).toEqual({ reason: "control_plane_signal", terminated: false, truncated: true });
});

test("a reward is counted once for each step count, and each time where there is none", async () => {
  const stale = await visit({ control: { reward: () => ({ reward: -100, step_count: 1 }) } });
  expect(stale.trace.steps.map(({ reward }) => reward)).toEqual([-100, 0]);
  const bare = await visit({ control: { reward: () => ({ reward: 2 }) } });
  expect(bare.trace.totalReward).toBe(4);
});

test("a server without a control plane is played all the same, and asked no more than needed", async () => {
  const nowhere = { status: 404 };
  const control = { initial_state: nowhere, reward: nowhere, status: nowhere, reset_session: nowhere };
  const { trace, server } = await visit({ control });
  expect([trace.ending.reason, trace.totalReward, trace.controlFailures]).toEqual(["stop", 0, 5]);
  expect(server.requests.filter(({ path }) => path.startsWith("/control/"))).toHaveLength(1);
});

const session_id = expect.any(String) as string;
test.each<[string, unknown, unknown, string]>([
  ["an object", { position: 4 }, { position: 4 }, '{"position":4}'],
  [
    "no JSON",
    "Error: wall",
    { observation: "Error: wall", session_id, error: "invalid_json_response" },
    '{"observation":"Error: wall","error":"invalid_json_response"}',
  ],
  ["blank", "  ", { observation: "empty_response", session_id }, '{"observation":"empty_response"}'],
  ["nothing", { content: [] }, { observation: "no_response", session_id }, '{"observation":"no_response"}'],
  ["a number", "42", { observation: 42, session_id }, '{"observation":42}'],
  ["a list", "[1]", { observation: [1], session_id }, '{"observation":[1]}'],
  ["null", "null", { observation: null, session_id }, '{"observation":null}'],
])("a tool that answers with %s gives an observation", async (_, answer, observation, shown) => {
  const { trace, messages } = await visit({ tool: () => answer });
  expect(trace.steps[0]?.observation).toEqual(observation);
  expect(messages.find(({ role }) => role === "tool")?.content).toBe(shown);
  expect(trace.ending.reason).toBe("stop");
});

test("several pictures in an answer reach the model beside the text", async () => {
  const image = (data: string) => ({ type: "image", data, mimeType: "image/png" });
  const content = [{ type: "text", text: '{"seen":2}' }, image("AAAA"), image("BBBB")];
  const { messages } = await visit({ tool: () => ({ content }) });
  expect(messages.find(({ role }) => role === "tool")?.content).toEqual([
    { type: "text", text: '{"seen":2}' },
    { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
    { type: "image_url", image_url: { url: "data:image/png;base64,BBBB" } },
  ]);
});

test("a picture in an observation is taken out of its text, in the prompt too", async () => {
  const image_url = { url: "data:image/png;base64,CCCC" };
  const { messages } = await visit({
    control: { initial_state: () => ({ x: 1, image_url }) },
    tool: () => ({ x: 2, image_url }),
  });
  expect(messages[0]?.content).toEqual([
    { type: "text", text: '{"x":1}' },
    { type: "image_url", image_url },
  ]);
  expect(messages.find(({ role }) => role === "tool")?.content).toEqual([
    { type: "text", text: '{"x":2}' },
    { type: "image_url", image_url },
  ]);
});

test("a tool that is not there is for the model to read", async () => {
  const { trace, messages } = await visit({}, [{ tool: "fly", input: { x: 1 } }, "done"]);
  expect(JSON.stringify(messages[2]?.content)).toContain("Unknown tool: fly");
  expect(trace.ending.reason).toBe("stop");
});

test("a connection that breaks in the middle leaves a partial trace and is not mended with another episode", async () => {
  const { trace, server } = await visit({ tool: (_, call) => (call === 1 ? cut : { ok: true }) }, [
    act,
    act,
    act,
    "done",
  ]);
  expect(trace.ending).toMatchObject({ reason: "error", kind: "infrastructure" });
  expect([trace.steps.length, trace.totalReward, server.count("tools/call")]).toEqual([1, null, 2]);
});

test("a call that hangs when the run is cancelled leaves a partial trace", async () => {
  const stop = new AbortController();
  await using server = await CrookedServer.open({
    tool: (_, call) => (call === 1 ? (stop.abort(), hang) : { ok: true }),
  });
  const [row] = await playAll(server.url, seedRows([1]), {
    agent: scriptedAgent([act, act]),
    signal: stop.signal,
  });
  expect(row?.trace).toMatchObject({ ending: { reason: "error", kind: "cancelled" }, totalReward: null });
  expect(server.requests.at(-1)?.method).toBe("DELETE");
});

test.each<[NonNullable<Manners["fails"]>, string, number]>([
  [{ "tools/call": 500 }, "environment", 1],
  [{ initialize: 500 }, "environment", 4],
  [{ "tools/list": 500 }, "environment", 4],
])("a server that fails at %j ends the rollout as an error of kind %s", async (fails, kind, greetings) => {
  const { trace, server } = await visit({ fails });
  expect(trace.ending).toMatchObject({ reason: "error", kind });
  expect(server.count("initialize")).toBe(greetings);
});

test("an unreachable address is a connection error", async () => {
  const [row] = await playAll("http://127.0.0.1:9/mcp", seedRows([1]), {
    agent: randomAgent(),
    sleep: async () => undefined,
  });
  expect(row?.trace.ending).toMatchObject({ reason: "error", kind: "infrastructure" });
});

test("a reset that fails is a fault, and no more", async () => {
  const { trace } = await visit({ control: { reset_session: { status: 500 } } });
  expect([trace.ending.reason, trace.controlFailures]).toEqual(["stop", 1]);
});

test("however many begin at once, tools are listed once", async () => {
  await using server = await CrookedServer.open();
  await playAll(server.url, seedRows(Array.from({ length: 30 }, (_, at) => at)), {
    agent: scriptedAgent([act]),
    concurrency: 30,
  });
  expect([server.count("initialize"), server.count("tools/list")]).toEqual([30, 1]);
});

test("over the wire a rollout is what it is in process", async () => {
  await using lake = frozenLake();
  const { url } = await lake.serve({ url: "http://127.0.0.1:0" });
  const options = { agent: scriptedAgent(lakeMoves(solution)), make: { modelId: "m" } };
  const traces = await Promise.all(
    [lake, `${url}/mcp`, `${url}/mcp/`].map((target) => playAll(target, seedRows([42]), options)),
  );
  const [here, there, slash] = traces.map(([row]) => row);
  const story = (row: typeof here) => row?.messages.map(({ role, content }) => [role, content]);
  expect(story(there)).toEqual(story(here));
  expect(story(slash)).toEqual(story(here));
  expect(there?.trace.steps.map(({ reward, terminated, stepCount }) => [reward, terminated, stepCount])).toEqual(
    here?.trace.steps.map(({ reward, terminated, stepCount }) => [reward, terminated, stepCount]),
  );
  expect(lake.episodes.size).toBe(0);
});

test("a row that is there twice, played at once, is two sessions", async () => {
  await using cliff = cliffWalking();
  const { url } = await cliff.serve({ url: "http://127.0.0.1:0" });
  const moves = ["UP", ...Array.from({ length: 11 }, () => "RIGHT"), "DOWN"];
  const agent = scriptedAgent(moves.map((action) => ({ tool: "cliff_move", input: { action } })));
  const rows = await playAll(`${url}/mcp`, seedRows([1, 1]), { agent, repetitions: 2 });
  expect(rows.map(({ trace }) => trace.totalReward)).toEqual([-13, -13, -13, -13]);
  expect(new Set(rows.map(({ trace }) => trace.sessionId)).size).toBe(4);
});

test("prompts and answers in Python's own text are Eval Protocol's to the letter", async () => {
  await using lake = frozenLake({ colors: true });
  const { url } = await lake.serve({ url: "http://127.0.0.1:0" });
  const prompt = "Map {map_name}. Current state: {observation}. Choose your move wisely.";
  const line = JSON.stringify({
    messages: [{ role: "system", content: "Play." }],
    input_metadata: {
      row_id: "run_001",
      dataset_info: {
        user_prompt_template: prompt,
        environment_context: { game: "FrozenLake", map_name: "4x4", seed: 42 },
      },
    },
  });
  const options = {
    agent: scriptedAgent(lakeMoves(["DOWN"])),
    style: "python" as const,
    make: { modelId: "my-model" },
  };
  const [row] = await playAll(`${url}/mcp`, parseRows(line), options);
  expect(row?.trace.sessionId).toBe("9db1f65e20dfeef4b03463254f08942f");
  expect(row?.messages[1]?.content).toBe(
    String.raw`Map 4x4. Current state: {'position': 0, 'grid': '\n\x1b[41mS\x1b[0mFHF\nFHFF\nFFFH\nFHFG\n'}. Choose your move wisely.`,
  );
  expect(row?.messages[3]?.content).toBe(
    String.raw`{"position": 4, "grid": "  (Down)\nSFHF\n\u001b[41mF\u001b[0mHFF\nFFFH\nFHFG\n", "action": "DOWN"}`,
  );
  expect(timeless(row ?? {})).toMatchObject({ input_metadata: { row_id: "run_001", completion_params: {} } });
});
