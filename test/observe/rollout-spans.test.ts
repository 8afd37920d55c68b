import { SpanKind, metrics } from "@opentelemetry/api";
import { afterEach, beforeEach, expect, test } from "vitest";
import { traceRollouts, traceWith } from "biplane/observe";
import { openaiAgent, randomAgent, seedRows } from "biplane/rollout";
import type { Agent } from "biplane/rollout";
import { gallery } from "biplane/gallery";
import { ModelServer, walker } from "../rollout/model-server.ts";
import { playAll, solution } from "../rollout/playing.ts";
import { keepMetrics } from "./memory-meter.ts";
import type { KeptMetric } from "./memory-meter.ts";
import { keepSpans } from "./memory-tracer.ts";

let kept: ReturnType<typeof keepSpans>;
let recorded: KeptMetric[];
beforeEach(() => {
  kept = keepSpans();
  recorded = keepMetrics();
});
afterEach(() => {
  kept.stop();
  metrics.disable();
});

async function play(agent: Agent, steps = 20) {
  await using lake = gallery["frozen-lake"]();
  lake.server.measure(await traceWith());
  const rows = seedRows([42], { system: "Cross the lake." });
  const [row] = await playAll(lake, rows, { agent, steps, telemetry: await traceRollouts() });
  return row?.trace ?? expect.fail();
}

test("a rollout is an agent's span, with its model requests and calls in it", async () => {
  await using model = await ModelServer.open({ say: walker(solution, 3) });
  const trace = await play(openaiAgent({ model: "test-model", baseUrl: model.baseUrl }));
  const [agent, ...others] = kept.spans;
  expect(agent).toMatchObject({ name: "invoke_agent openai", kind: SpanKind.INTERNAL, status: undefined, ends: 1 });
  expect(agent?.attributes).toMatchObject({
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": "openai",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "test-model",
    "gen_ai.conversation.id": trace.sessionId,
    "gen_ai.usage.input_tokens": trace.usage.prompt_tokens,
    "gen_ai.usage.output_tokens": trace.usage.completion_tokens,
    "biplane.rollout.reward": 1,
    "biplane.rollout.ending": "control_plane_signal",
  });
  const chats = others.filter(({ name }) => name === "chat test-model");
  expect(chats).toHaveLength(2);
  expect(chats[0]).toMatchObject({
    kind: SpanKind.CLIENT,
    attributes: { "gen_ai.response.finish_reasons": ["tool_calls"], "gen_ai.usage.input_tokens": 10 },
  });
  const tools = others.filter(({ name }) => name === "execute_tool lake_move");
  expect(tools).toHaveLength(6);
  for (const span of [...chats, ...tools]) expect(span.parent?.spanId).toBe(agent?.spanContext().spanId);
  const served = others.filter(({ attributes }) => attributes["mcp.method.name"] === "tools/call");
  expect(served.map(({ parent }) => parent?.spanId)).toEqual(tools.map((span) => span.spanContext().spanId));
  expect(JSON.stringify(kept.spans)).not.toContain("Cross the lake");
});

test("tokens and durations of model requests are measured as the conventions name them", async () => {
  await using model = await ModelServer.open({ say: walker(solution, 3) });
  await play(openaiAgent({ model: "test-model", baseUrl: model.baseUrl }));
  const attributes = { "gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai" };
  const tokens = recorded.filter(({ name }) => name === "gen_ai.client.token.usage");
  expect(tokens).toHaveLength(4);
  expect(tokens[0]).toMatchObject({ value: 10, attributes: { ...attributes, "gen_ai.token.type": "input" } });
  expect(tokens[1]).toMatchObject({ value: 5, attributes: { ...attributes, "gen_ai.token.type": "output" } });
  expect(recorded.filter(({ name }) => name === "gen_ai.client.operation.duration")).toHaveLength(2);
});

test("a tool that the model made up is not named, and neither are long texts of its server", async () => {
  const calls = [{ name: "x".repeat(5000), arguments: "{}" }];
  await using model = await ModelServer.open({ say: () => ({ calls, finishReason: "y".repeat(5000) }) });
  await play(openaiAgent({ model: "test-model", baseUrl: model.baseUrl }), 1);
  const [made] = kept.spans.filter(({ name }) => name.startsWith("execute_tool"));
  expect([made?.name, made?.attributes["error.type"]]).toEqual(["execute_tool", "TOOL_NOT_FOUND"]);
  expect(JSON.stringify(kept.spans)).not.toMatch(/x{200}|y{200}/);
});

test("an agent without a model has no model requests, and a failed model marks its rollout", async () => {
  await play(randomAgent(), 3);
  expect(kept.spans.map(({ name }) => name.split(" ")[0])).not.toContain("chat");
  expect(recorded.filter(({ name }) => name.startsWith("gen_ai."))).toEqual([]);
  kept.spans.length = 0;
  await using broken = await ModelServer.open({ say: walker(solution), trouble: () => 401 });
  const trace = await play(openaiAgent({ model: "test-model", baseUrl: broken.baseUrl }));
  const types = kept.spans.map(({ name, attributes }) => [name, attributes["error.type"]]);
  expect(types).toEqual([
    ["invoke_agent openai", trace.failure?.kind],
    ["chat test-model", expect.any(String)],
  ]);
  const [duration] = recorded.filter(({ name }) => name === "gen_ai.client.operation.duration");
  expect(duration?.attributes).toHaveProperty("error.type");
});
