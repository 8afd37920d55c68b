import { afterAll, expect, test } from "vitest";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { server, tool } from "biplane";
import { javascriptEngine } from "../../packages/biplane/src/code/javascript/engine.ts";
import { codeTool } from "../../packages/biplane/src/code/code-tool.ts";
import { frozenLake } from "../../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { gridWorld } from "../../packages/gallery/src/grid-world/grid-world.ts";
import { train } from "../gallery/trainer.ts";

const engine = javascriptEngine({ isolation: "thread" });
afterAll(() => engine.close());

test("a Gym step may be code, and is worth its steps together", async () => {
  const lake = frozenLake();
  codeTool(lake.server, { engines: [engine] });
  await using trainer = await train(lake);
  await trainer.reset({ seed: 1, map_name: "4x4" });
  const first = await trainer.step({
    type: "code",
    code: "console.log('off'); let { position } = await lake_move('DOWN'); return position",
    language: undefined,
  });
  expect(first.observation).toMatchObject({ stdout: "off\n", stderr: "", exit_code: 0, result: 4, error: null });
  expect(first.observation["calls"]).toEqual([{ tool: "lake_move", input: { action: "DOWN" }, outcome: "done" }]);
  expect([first.reward, first.done]).toEqual([0, false]);
  const second = await trainer.step({ code: "await lake_move('NOWHERE')" });
  expect(second.observation).toMatchObject({ stdout: "", exit_code: 1, error: { code: "INVALID_INPUT" } });
  expect(second.observation["stderr"]).toMatch(/^ToolError: .*NOWHERE|ToolError: Invalid arguments/);
  expect((await trainer.state())["step_count"]).toBe(1);
});

test("run_code called as a tool on the trainer endpoint earns the sum of its steps, too", async () => {
  const world = gridWorld();
  codeTool(world.server, { engines: [engine] });
  await using trainer = await train(world);
  await trainer.reset({ seed: 1 });
  const [name] = Object.keys(world.rules.tools);
  const code = `await ${String(name)}("RIGHT"); await ${String(name)}("RIGHT"); 1`;
  const action = { type: "call_tool", tool_name: "run_code", arguments: { code } };
  const { observation, reward } = await trainer.step(action);
  expect(observation).toMatchObject({ tool_name: "run_code", error: null });
  expect(reward).toBeCloseTo(-0.2);
  expect((await trainer.state())["step_count"]).toBe(2);
});

test("code that is no text, has more keys, or finds no engine is refused as an action", async () => {
  const lake = frozenLake();
  {
    const handler = codeTool(lake.server, { engines: [engine] });
    await using trainer = await train(lake);
    await trainer.reset();
    expect(await trainer.refused({ type: "code", code: 5 })).toBe("VALIDATION_ERROR");
    expect(await trainer.refused({ type: "code", code: "1", extra: 1 })).toBe("VALIDATION_ERROR");
    await handler.close();
    expect(await trainer.refused({ type: "code", code: "1" })).toBe("VALIDATION_ERROR");
  }
});

test("an environment with a typed action takes code by its type", async () => {
  const world = gridWorld();
  codeTool(world.server, { engines: [engine] });
  await using trainer = await train(world);
  await trainer.reset({ seed: 1 });
  const [name] = Object.keys(world.rules.tools);
  const { observation, reward } = await trainer.step({
    type: "code",
    code: `await ${String(name)}("RIGHT"); await ${String(name)}("RIGHT"); 1`,
  });
  expect(observation).toMatchObject({ exit_code: 0, result: 1 });
  expect(reward).toBeCloseTo(-0.2);
});

test("an official MCP client sees run_code with the tools' signatures, and runs it", async () => {
  const add = tool({
    name: "add",
    description: "Adds",
    input: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
    run: ({ a, b }) => a + b,
  });
  await using gateway = server({ name: "sums", version: "1.0.0", limits: false, tools: [add] });
  await using _ = codeTool(gateway, { engines: [engine], alone: true });
  const { url } = await gateway.serve("http://127.0.0.1:0");
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["run_code"]);
  expect(tools[0]?.description).toContain("add({ a: number, b: number }): Promise<any> // Adds");
  const answer = await client.callTool({ name: "run_code", arguments: { code: "const sum = await add(1, 2); sum" } });
  expect(JSON.parse((answer.content as { text: string }[])[0]?.text ?? "")).toMatchObject({ result: 3, error: null });
  await client.close();
});
