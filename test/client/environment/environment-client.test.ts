import { environment, server, tool } from "biplane";
import type { Environment } from "biplane";
import { callTool, code, connectEnvironment, listTools } from "biplane/client";
import type { EnvironmentClient } from "biplane/client";
import { expect, test } from "vitest";
import { connectFour } from "../../../packages/gallery/src/connect-four/connect-four.ts";
import { counter } from "../../environment/counter.ts";

type Connect = (target: Environment, url: string) => Promise<EnvironmentClient>;

const inProcess: Connect = (target) => connectEnvironment(target);
const overSocket: Connect = (_, url) => connectEnvironment(url);
const overHttp: Connect = (_, url) => connectEnvironment(url, { transport: "http" });
const overMcp: Connect = (_, url) => connectEnvironment(`${url}/mcp`);

const everywhere: [string, Connect][] = [
  ["in process", inProcess],
  ["over /ws", overSocket],
  ["over HTTP", overHttp],
  ["over MCP and the control plane", overMcp],
];
const whereItForks = everywhere.slice(0, 3);

async function withClient(
  target: Environment,
  connect: Connect,
  play: (client: EnvironmentClient, target: Environment) => Promise<void>,
): Promise<void> {
  await using served = target;
  const { url } = await served.serve({ url: "http://127.0.0.1:0" });
  await using client = await connect(served, url);
  await play(client, served);
  await client.close();
  await expect.poll(() => served.episodes.size).toBe(0);
}

test.each(everywhere)("%s, an episode is played from reset to its end", (_, connect) =>
  withClient(counter(), connect, async (client) => {
    const { observation, tools } = await client.reset({ seed: 3, config: { goal: 3 } });
    expect(observation).toEqual({ count: 0 });
    expect(tools.map(({ name }) => name)).toEqual(["add", "wait", "look", "quiet", "roll", "spoil", "compute", "hang"]);
    expect(await client.step(callTool("add"))).toMatchObject({
      observation: { count: 1 },
      content: [{ type: "text", text: '{"count":1}' }],
      reward: 1,
      parts: { progress: 1, style: 0 },
      terminated: false,
      truncated: false,
      done: false,
      stepCount: 1,
      faults: [],
    });
    const last = await client.step(callTool("add", { by: 2 }));
    expect(last).toMatchObject({
      observation: { count: 3 },
      reward: 2,
      terminated: true,
      truncated: false,
      done: true,
    });
    expect(last.error).toBeUndefined();
  }),
);

test.each(everywhere)("%s, a limit truncates the episode, and reset starts another one", (_, connect) =>
  withClient(counter(), connect, async (client, { episodes }) => {
    await client.reset({ seed: 1, config: { limit: 1, goal: 9 } });
    expect(await client.step(callTool("add"))).toMatchObject({ terminated: false, truncated: true, done: true });
    await client.reset({ seed: 1, config: { limit: 5, goal: 9 } });
    expect(await client.step(callTool("add"))).toMatchObject({ truncated: false, done: false, stepCount: 1 });
    expect(episodes.size).toBe(1);
  }),
);

test.each(everywhere)("%s, a step can reach the goal and the limit at once", (_, connect) =>
  withClient(counter(), connect, async (client) => {
    await client.reset({ seed: 1, config: { limit: 1, goal: 1 } });
    expect(await client.step(callTool("add"))).toMatchObject({ terminated: true, truncated: true, done: true });
  }),
);

test.each(everywhere)("%s, the same seed gives the same episode", (_, connect) =>
  withClient(counter(), connect, async (client) => {
    const roll = async () => {
      await client.reset({ seed: 5, config: { goal: 50 } });
      return [await client.step(callTool("roll")), await client.step(callTool("roll"))].map((step) => step.observation);
    };
    expect(await roll()).toEqual(await roll());
  }),
);

test.each(everywhere)("%s, a call that fails is a result with an error and no step", (_, connect) =>
  withClient(counter(), connect, async (client) => {
    await client.reset({ seed: 1 });
    await client.step(callTool("add"));
    for (const action of [callTool("spoil"), callTool("add", { by: "much" }), callTool("fly")]) {
      const { error, reward, stepCount, done } = await client.step(action);
      expect(error?.message).toMatch(/Spoiled|by|fly/);
      expect({ reward, stepCount, done }).toEqual({ reward: 0, stepCount: 1, done: false });
    }
    expect(await client.step(callTool("look"))).toMatchObject({ observation: { count: 1 } });
  }),
);

test.each(everywhere)("%s, tools are listed by an action that is not a step", (_, connect) =>
  withClient(counter(), connect, async (client) => {
    await client.reset({ seed: 1 });
    const { observation, reward } = await client.step(listTools());
    const { tools } = observation as { tools: { name: string; inputSchema: object }[] };
    expect(tools.find(({ name }) => name === "add")?.inputSchema).toMatchObject({ properties: { by: {} } });
    expect(reward).toBeNull();
    expect(await client.step(callTool("add"))).toMatchObject({ stepCount: 1 });
  }),
);

test.each(everywhere)("%s, the state has the name of the episode and its steps", (_, connect) =>
  withClient(counter(), connect, async (client) => {
    await client.reset({ seed: 1, episodeId: "first-try" });
    await client.step(callTool("add"));
    expect(await client.state()).toMatchObject({ episodeId: "first-try", stepCount: 1 });
  }),
);

test.each(everywhere)("%s, a step before reset says what to do", (_, connect) =>
  withClient(counter(), connect, async (client) => {
    await expect(client.step(callTool("add"))).rejects.toThrow("There is no episode. Call reset() first.");
    await expect(client.state()).rejects.toMatchObject({ code: "INVALID_INPUT" });
  }),
);

test.each(everywhere)("%s, the tasks of a split are there", (_, connect) =>
  withClient(counter(), connect, async (client) => {
    expect(await client.tasks("train")).toEqual([
      { id: "short", seed: 1, config: { goal: 2 } },
      { id: "long", seed: 2 },
    ]);
    expect(await client.tasks("test")).toEqual([{ id: "only" }]);
    await expect(client.tasks("exam")).rejects.toThrow('Unknown split "exam". Known splits: train, test.');
  }),
);

test.each(whereItForks)("%s, a fork goes its own way from the same state", (_, connect) =>
  withClient(counter(), connect, async (client, { episodes }) => {
    await client.reset({ seed: 1, config: { goal: 9 }, episodeId: "trunk" });
    await client.step(callTool("add"));
    const fork = await client.fork();
    expect(await fork.step(callTool("add", { by: 4 }))).toMatchObject({ observation: { count: 5 }, stepCount: 2 });
    expect(await client.step(callTool("add"))).toMatchObject({ observation: { count: 2 }, stepCount: 2 });
    const second = await fork.fork();
    expect(await second.step(callTool("roll"))).toMatchObject({ stepCount: 3 });
    expect(episodes.size).toBe(3);
    await second.close();
    await fork.close();
    expect(episodes.size).toBe(1);
  }),
);

test.each(whereItForks)("%s, an episode continues from a snapshot, any number of times", (_, connect) =>
  withClient(counter(), connect, async (client) => {
    await client.reset({ seed: 1, config: { goal: 9 } });
    await client.step(callTool("add", { by: 3 }));
    const snapshot = JSON.parse(JSON.stringify(await client.snapshot())) as Awaited<ReturnType<typeof client.snapshot>>;
    await client.step(callTool("add"));
    for (let round = 0; round < 2; round++) {
      await client.reset({ snapshot });
      expect(await client.step(callTool("add"))).toMatchObject({ observation: { count: 4 }, stepCount: 2 });
    }
    await client.reset({ seed: 1 });
    expect(await client.step(callTool("look"))).toMatchObject({ observation: { count: 0 } });
  }),
);

test("what Eval Protocol cannot do is an error that names an alternative", () =>
  withClient(counter(), overMcp, async (client) => {
    await client.reset({ seed: 1 });
    const snapshot = {} as Awaited<ReturnType<typeof client.snapshot>>;
    for (const asked of [client.fork(), client.snapshot(), client.reset({ snapshot })])
      await expect(asked).rejects.toMatchObject({
        code: "NOT_SUPPORTED",
        message: expect.stringMatching(/^Eval Protocol cannot .* connect to http:\/\/127\.0\.0\.1:\d+ instead\.$/),
      });
    await expect(client.step({ column: 3 })).rejects.toMatchObject({ code: "NOT_SUPPORTED" });
  }));

test.each(everywhere.slice(0, 3))("%s, an action of the environment's own type is a step", (_, connect) =>
  withClient(connectFour(), connect, async (client) => {
    await client.reset({ seed: 1 });
    const { observation, reward, done } = await client.step({ column: 3 });
    expect(observation).toMatchObject({ legal_actions: [0, 1, 2, 3, 4, 5, 6] });
    expect([reward, done]).toEqual([0, false]);
    const { error } = await client.step({ column: "left" });
    expect(error?.code).toBe("INVALID_INPUT");
  }),
);

test("over OpenEnv, an environment with its own type of action has it as the tool act", () =>
  withClient(connectFour(), overSocket, async (client) => {
    const { tools } = await client.reset({ seed: 1 });
    expect(tools).toMatchObject([{ name: "act", inputSchema: { properties: { column: {} } } }]);
    expect(await client.step(callTool("act", { column: 3 }))).toMatchObject({ done: false });
  }));

test.each(everywhere)("%s, an environment without code says so", (_, connect) =>
  withClient(counter(), connect, async (client) => {
    await client.reset({ seed: 1 });
    const refused = await client.step(code("1 + 1")).then(
      ({ error }) => error?.message,
      (error: Error) => error.message,
    );
    expect(refused).toMatch(/runs no code/);
  }),
);

test("a reward that fails is a failure of the episode, not of the step", () =>
  withClient(broken(), inProcess, async (client) => {
    await client.reset();
    const { error, reward, failure } = await client.step(callTool("go"));
    expect([error, reward]).toEqual([undefined, null]);
    expect(failure).toEqual({ kind: "judge", message: "reward failed: no scales", masked: true });
  }));

test("a plain MCP server has tools but no rewards and no end", async () => {
  await using clock = server({ name: "clock", tools: [tool({ name: "time_tell", run: () => "noon" })] });
  const client = await connectEnvironment(clock);
  expect(await client.reset()).toMatchObject({ observation: "", tools: [{ name: "time_tell" }] });
  expect(await client.step(callTool("time_tell"))).toMatchObject({ observation: "noon", reward: null, done: false });
  expect((await client.step(callTool("time_stop"))).error?.code).toBe("TOOL_NOT_FOUND");
  await expect(client.state()).rejects.toThrow("clock is an MCP server without a control plane");
  await client.close();
  await client.close();
});

test("a step that is cancelled ends, and the socket is not used again", () =>
  withClient(counter(), overSocket, async (client) => {
    await client.reset({ seed: 1 });
    const stop = new AbortController();
    const step = client.step(callTool("hang"), { signal: stop.signal });
    stop.abort();
    await expect(step).rejects.toMatchObject({ code: "CANCELLED" });
    await expect(client.step(callTool("add"))).rejects.toThrow("was closed. Call reset().");
    await client.reset({ seed: 1 });
    expect(await client.step(callTool("add"))).toMatchObject({ observation: { count: 1 } });
  }));

test.each(["http://127.0.0.1:9", "http://127.0.0.1:9/mcp", "ws://127.0.0.1:9/ws"])(
  "an unreachable address fails at reset: %s",
  async (url) => {
    const client = await connectEnvironment(url);
    await expect(client.reset()).rejects.toThrow(/^Cannot reach /);
    await client.close();
  },
);

function broken(): Environment {
  return environment({
    name: "broken",
    onFault: () => undefined,
    start: () => ({}),
    observe: () => ({}),
    tools: (make) => ({ go: make({ run: () => "gone" }) }),
    reward: () => {
      throw new Error("no scales");
    },
  });
}
