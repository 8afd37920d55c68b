import { expect, test } from "vitest";
import { server } from "biplane";
import { agentTool } from "../../../packages/core/src/client/adapters/agent-tool.ts";
import type { TaskAgent } from "../../../packages/core/src/client/adapters/agent-tool.ts";
import { connect } from "biplane/client";

const agent: TaskAgent = {
  name: "researcher",
  description: "Finds things out",
  run: async (task, { onStep, signal, input }) => {
    onStep("looking");
    if (task === "for ever")
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("stopped"))));
    onStep("found");
    if (task === "structured") return { text: "see the value", value: { answer: 42, depth: input["depth"] } };
    return `done: ${task}`;
  },
};

test("an agent is called as a tool: its task in, its answer out, its steps as progress", async () => {
  const gateway = server({ name: "gateway", version: "1", tools: [agentTool(agent)] });
  await using client = await connect(gateway, { tasks: false });
  const [info] = await client.listTools();
  expect(info).toMatchObject({
    name: "researcher",
    description: "Finds things out",
    inputSchema: { required: ["task"] },
  });
  const told: unknown[] = [];
  const onProgress = ({ message }: { message?: string }) => void told.push(message);
  const result = await client.callTool("researcher", { task: "look it up" }, { onProgress });
  expect(result.content).toEqual([{ type: "text", text: "done: look it up" }]);
  expect(told).toEqual(["looking", "found"]);
  expect(await client.callTool("researcher", { task: "" })).toMatchObject({ isError: true });
});

test("takes further arguments, and gives a value beside the words", async () => {
  const tool = agentTool(agent, {
    name: "ask_researcher",
    properties: { depth: { type: "integer" } },
    output: { type: "object" },
  });
  await using gateway = server({ name: "gateway", version: "1", tools: [tool] });
  expect(await gateway.call("ask_researcher", { task: "structured", depth: 2 })).toEqual({ answer: 42, depth: 2 });
});

test("works as a task where the caller can hold one, and stops when it is cancelled", async () => {
  const gateway = server({ name: "gateway", version: "1", tools: [agentTool(agent)] });
  await using client = await connect(gateway);
  const tasks: unknown[] = [];
  const onTask = (task: Readonly<Record<string, unknown>>) => void tasks.push(task["status"]);
  const result = await client.callTool("researcher", { task: "slowly" }, { onTask });
  expect(result.content).toEqual([{ type: "text", text: "done: slowly" }]);
  expect(tasks.length).toBeGreaterThan(0);
  const stop = new AbortController();
  const running = gateway.call("researcher", { task: "for ever" }, { signal: stop.signal });
  stop.abort();
  await expect(running).rejects.toMatchObject({ code: "CANCELLED" });
});
