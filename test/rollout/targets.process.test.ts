import { server, tool } from "biplane";
import { expect, onTestFinished, test, vi } from "vitest";
import { connectFour } from "../../packages/gallery/src/connect-four/connect-four.ts";
import { echo } from "../../packages/gallery/src/echo/echo.ts";
import { frozenLake } from "../../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { greedyAgent } from "../../packages/biplane/src/rollout/agent/greedy.ts";
import { randomAgent } from "../../packages/biplane/src/rollout/agent/random.ts";
import { scriptedAgent } from "../../packages/biplane/src/rollout/agent/scripted.ts";
import { make } from "../../packages/biplane/src/rollout/make.ts";
import { seedRows } from "../../packages/biplane/src/rollout/row.ts";
import { playAll } from "./playing.ts";
import { stdioServer } from "../support/child.ts";

const question = [{ messages: [{ role: "user", content: "Say something." }] }];

test("the kind of an address is detected", async () => {
  await using lake = frozenLake();
  const { url } = await lake.serve({ url: "http://127.0.0.1:0" });
  const kindOf = async (address: string) => (await make(address, { rows: [] })).connector.kind;
  expect(
    await Promise.all(
      [url, `${url}/mcp`, `${url}/`, url.replace("http", "ws"), `${url}/ws`, `${url}/nothing`].map(kindOf),
    ),
  ).toEqual(["openenv", "eval-protocol", "openenv", "openenv", "openenv", "eval-protocol"]);
  await expect(make("lake", { rows: [] })).rejects.toThrow("lake is not a valid URL");
});

test("an OpenEnv server with an action of its own is played by it", async () => {
  await using game = connectFour();
  const { url } = await game.serve({ url: "http://127.0.0.1:0" });
  const drop = (column: number) => ({ tool: "act", input: { column } });
  const [row] = await playAll(url, seedRows([3]), { agent: scriptedAgent([drop(99), drop(0), drop(1), "done"]) });
  expect(row?.tools.map(({ function: { name } }) => name)).toEqual(["act"]);
  expect(row?.trace.steps.map(({ call, reward }) => [call?.isError, typeof reward])).toEqual([
    [true, "number"],
    [false, "number"],
    [false, "number"],
  ]);
  expect(
    JSON.stringify(row?.messages.filter(({ role }) => role === "tool").map(({ content }) => content)),
  ).not.toContain("reward");
  expect(game.episodes.size).toBe(0);
});

test("an OpenEnv server of tools is played by its tools", async () => {
  await using place = echo();
  const { url } = await place.serve({ url: "http://127.0.0.1:0" });
  const script = [{ tool: "echo_message", input: { message: "hi" } }, { tool: "fly", input: {} }, "done"];
  const [row] = await playAll(url, seedRows([3]), { agent: scriptedAgent(script) });
  expect(row?.tools.map(({ function: { name } }) => name)).toContain("echo_message");
  expect(
    row?.trace.steps.map(({ observation, call }) => [JSON.stringify(observation).includes("hi"), call?.isError]),
  ).toEqual([
    [true, false],
    [false, true],
  ]);
  expect(row?.trace.ending.reason).toBe("stop");
});

test("a server that goes away in the middle of an OpenEnv episode is an error of the connection", async () => {
  onTestFinished(() => void vi.restoreAllMocks());
  const lake = frozenLake();
  const { url } = await lake.serve({ url: "http://127.0.0.1:0", graceMs: 10 });
  const agent = scriptedAgent(async ({ step }) => {
    if (step === 2) {
      await lake.close();
      // The client looks at the clock after each try, and gives up after 20 s.
      let now = performance.now();
      vi.spyOn(performance, "now").mockImplementation(() => (now += 5000));
    }
    return { tool: "lake_move", input: { action: "LEFT" } };
  });
  const [row] = await playAll(url, seedRows([3]), { agent });
  expect(row?.trace).toMatchObject({ ending: { reason: "error", kind: "infrastructure" }, totalReward: null });
  expect(row?.trace.steps).toHaveLength(2);
});

test("a plain MCP server in this process, without rewards, is ended only by the agent", async () => {
  await using clock = server({
    name: "clock",
    version: "1.0.0",
    tools: [tool({ name: "time_tell", run: () => "noon" })],
  });
  const script = [{ tool: "time_tell", input: {} }, { tool: "time_stop", input: {} }, "It is noon."];
  const [row] = await playAll(clock, question, { agent: scriptedAgent(script) });
  expect(row?.trace).toMatchObject({ ending: { reason: "stop" }, totalReward: 0, controlFailures: 0 });
  expect(row?.trace.steps.map(({ reward }) => reward)).toEqual([null, null]);
  expect(JSON.stringify(row?.messages[4]?.content)).toContain("There is no tool time_stop. Available: time_tell");
});

test("several servers offer their tools together, and two of one name are refused", async () => {
  await using clock = server({
    name: "clock",
    version: "1.0.0",
    tools: [tool({ name: "time_tell", run: () => "noon" })],
  });
  const { url } = await clock.serve({ url: "http://127.0.0.1:0" });
  const config = { mcpServers: { gateway: { ...stdioServer, env: ["PATH"] }, clock: { url: `${url}/mcp` } } };
  const [row] = await playAll(config, question, { agent: scriptedAgent([{ tool: "time_tell", input: {} }, "Noon."]) });
  expect(row?.trace.steps[0]?.observation).toMatchObject({ observation: "noon" });
  expect(row?.tools.length).toBeGreaterThan(2);
  const twice = { mcpServers: { one: { url: `${url}/mcp` }, other: { url: `${url}/mcp` } } };
  const [failed] = await playAll(twice, question, { agent: randomAgent() });
  expect(failed?.trace.ending.message).toContain('Two servers have a tool "time_tell"');
});

test.each([
  [{ mcpServers: { a: { command: "x", env: ["NOT_SET_HERE"] } } }, "The server a needs the environment variable"],
  [
    { mcpServers: { a: { url: "http://x/mcp", authorization: "Bearer ${NOT_SET_HERE}" } } },
    "The server a needs the environment variable",
  ],
  [{ mcpServers: { a: {} } }, "The server a needs a command or a url"],
])("a config that lacks something says what: %j", async (config, message) => {
  await expect(make(config, { rows: [] })).rejects.toThrow(message);
});

test("on a Biplane server, a group begins from one episode and the greedy agent looks ahead", async () => {
  await using lake = frozenLake();
  const { url } = await lake.serve({ url: "http://127.0.0.1:0" });
  const rows = await playAll(url, seedRows([42]), { agent: greedyAgent(), steps: 3, repetitions: 2, fork: true });
  expect(rows.map(({ trace }) => [trace.ending.message, trace.steps.length])).toEqual([
    [undefined, 3],
    [undefined, 3],
  ]);
  expect(lake.episodes.size).toBe(0);
  const [refused] = await playAll(`${url}/mcp`, seedRows([42]), { agent: greedyAgent(), steps: 3 });
  expect(refused?.trace.ending.message).toMatch(/cannot fork an episode.* Pass a `value` function to greedyAgent\./);
});
