import { environment } from "biplane";
import { callTool, code, connectEnvironment } from "biplane/client";
import { codeTool, javascriptEngine, starlarkEngine } from "biplane/code";
import { expect, test } from "vitest";

test.each([
  ["in process", undefined, {}],
  ["over /ws", "", {}],
  ["over HTTP", "", { transport: "http" }],
  ["over MCP and the control plane", "/mcp", {}],
] as const)("%s, code calls tools as functions, and its reward is the sum of theirs", async (_, path, options) => {
  await using counting = environment({
    name: "counting",
    start: () => ({ count: 0 }),
    observe: ({ count }) => ({ count }),
    tools: (tool) => ({
      count_up: tool({ run: (__, { state }) => ({ count: ++state.count }) }),
    }),
    reward: () => 1,
    status: ({ count }) => ({ terminated: count >= 4 }),
  });
  const engines = [javascriptEngine(), starlarkEngine()];
  codeTool(counting, { engines });
  const { url } = await counting.serve({ url: "http://127.0.0.1:0" });
  const client = await connectEnvironment(path === undefined ? counting : `${url}${path}`, options);
  await client.reset({ seed: 1 });
  const step = await client.step(code("await count_up(); (await count_up()).count"));
  expect(step).toMatchObject({ observation: { result: 2, stdout: "", error: null }, done: false, stepCount: 2 });
  expect(step.reward).toBe(2);
  expect(step.calls).toHaveLength(2);
  const last = await client.step(code("count_up()\nreturn count_up()", "starlark"));
  expect(last).toMatchObject({ observation: { result: { count: 4 } }, reward: 2, terminated: true });
  const { error } = await client.step(callTool("count_up"));
  expect(error?.message).toContain("The episode has ended");
  await client.close();
  await Promise.all(engines.map((engine) => engine.close()));
});
