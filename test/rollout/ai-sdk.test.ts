import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import * as ai from "ai";
import { expect, test } from "vitest";
import { frozenLake } from "../../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { aiSdkAgent } from "../../packages/biplane/src/rollout/agent/ai-sdk.ts";
import type { AiSdkOptions } from "../../packages/biplane/src/rollout/agent/ai-sdk.ts";
import { modelMessages } from "../../packages/biplane/src/rollout/agent/ai-sdk-messages.ts";
import { seedRows } from "../../packages/biplane/src/rollout/row.ts";
import { ModelServer, walker } from "./model-server.ts";
import type { Asked } from "./model-server.ts";
import { playAll, solution } from "./playing.ts";

function agentOf({ baseUrl: baseURL }: ModelServer, more: Partial<AiSdkOptions> = {}) {
  const provider = createOpenAICompatible({ name: "local", baseURL, apiKey: "a secret key" });
  return aiSdkAgent({ ai, model: provider("test-model"), ...more });
}

async function playWith(server: ModelServer, more: Partial<AiSdkOptions> = {}) {
  await using lake = frozenLake();
  const rows = seedRows([42], { system: "Cross the lake." });
  const [row] = await playAll(lake, rows, { agent: agentOf(server, more) });
  return row?.trace ?? expect.fail();
}

test("a model of Vercel's AI SDK crosses the lake, with several calls in a turn", async () => {
  await using server = await ModelServer.open({ say: walker(solution, 3) });
  const trace = await playWith(server, { settings: { temperature: 0.5 }, prices: { input: 1, output: 2 } });
  expect(trace).toMatchObject({ totalReward: 1, ending: { reason: "control_plane_signal" }, model: "test-model" });
  expect([trace.steps.length, server.asked.length]).toEqual([6, 2]);
  expect(trace.usage).toMatchObject({ prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 });
  expect(trace.cost).toBeCloseTo(40e-6, 12);
  const [first, second] = server.asked as [Asked, Asked];
  expect(first).toMatchObject({ temperature: 0.5, tools: [{ function: { name: "lake_move" } }] });
  expect(first.messages.map(({ role }) => role)).toEqual(["system", "user"]);
  expect(second.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "tool", "tool"]);
  expect(JSON.stringify(server.asked)).not.toMatch(/reward|terminated|control_plane/);
});

test("a model that says no more ends the rollout, with its finish reason", async () => {
  await using server = await ModelServer.open({ say: () => ({ content: "No.", finishReason: "content_filter" }) });
  const trace = await playWith(server);
  expect(trace.ending).toMatchObject({ reason: "stop", finishReason: "content_filter" });
  expect(trace.messages.at(-1)).toEqual({ role: "assistant", content: "No." });
});

test("a call that cannot be parsed is answered, and the model mends it", async () => {
  const walk = walker(solution);
  let asked = 0;
  const broken = { calls: [{ name: "lake_move", arguments: '{"action": "DO' }] };
  const walkOn = (request: Asked) =>
    walk({ ...request, messages: request.messages.filter(({ content }) => !String(content).includes("not called")) });
  await using server = await ModelServer.open({ say: (request) => (asked++ === 0 ? broken : walkOn(request)) });
  const trace = await playWith(server);
  expect(JSON.stringify(trace.messages[3])).toContain("not valid JSON");
  expect(trace.totalReward).toBe(1);
});

test("a server that limits is asked again, and one that fails masks the rollout", async () => {
  const soon = { status: 429, headers: { "retry-after-ms": "1" } };
  const trouble = (request: number) => (request < 2 ? soon : undefined);
  await using limited = await ModelServer.open({ say: walker(solution), trouble });
  expect((await playWith(limited)).totalReward).toBe(1);
  await using broken = await ModelServer.open({ say: walker(solution), trouble: () => 500 });
  const trace = await playWith(broken, { retries: 0 });
  expect(trace.failure).toMatchObject({ kind: "model", masked: true });
  expect([trace.totalReward, JSON.stringify(trace).includes("a secret key")]).toEqual([null, false]);
  await using refused = await ModelServer.open({ say: walker(solution), trouble: () => 401 });
  expect((await playWith(refused)).failure).toMatchObject({ kind: "model", masked: true });
  expect(refused.asked.length).toBe(1);
});

test("a model that is late is given up after its time", async () => {
  await using server = await ModelServer.open({ say: walker(solution), answer: () => undefined });
  const trace = await playWith(server, { timeoutMs: 20 });
  expect(trace.failure).toMatchObject({ kind: "timeout", masked: true });
});

test("images of results come from the user after all results, and other addresses are not loaded", () => {
  const calls = ["a", "b"].map((id) => ({
    id,
    type: "function" as const,
    function: { name: "look", arguments: "{}" },
  }));
  const image = (url: string) => ({ type: "image_url" as const, image_url: { url } });
  const text = { type: "text" as const, text: "seen" };
  const messages = modelMessages([
    { role: "assistant", content: null, tool_calls: calls },
    { role: "tool", tool_call_id: "a", content: [text, image("data:image/png;base64,AAAA")] },
    { role: "tool", tool_call_id: "b", content: [text, image("http://127.0.0.1/x.png")] },
  ]);
  expect(messages.slice(1)).toEqual([
    result("a", "seen"),
    result("b", "seen"),
    {
      role: "user",
      content: [
        { type: "image", image: "AAAA", mediaType: "image/png" },
        { type: "text", text: "[image: http://127.0.0.1/x.png]" },
      ],
    },
  ]);
});

function result(toolCallId: string, value: string) {
  return {
    role: "tool",
    content: [{ type: "tool-result", toolCallId, toolName: "look", output: { type: "text", value } }],
  };
}
