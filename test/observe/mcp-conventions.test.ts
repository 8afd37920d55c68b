import { SpanKind, metrics, trace } from "@opentelemetry/api";
import { afterEach, beforeEach, expect, test } from "vitest";
import { prompt, resource, server, tool } from "biplane";
import { connect } from "biplane/client";
import { traceRequests, traceWith } from "biplane/observe";
import { listen } from "../support/serving.ts";
import { keepMetrics } from "./memory-meter.ts";
import type { KeptMetric } from "./memory-meter.ts";
import { keepSpans } from "./memory-tracer.ts";

let kept: ReturnType<typeof keepSpans>;
let durations: KeptMetric[] = [];
beforeEach(() => {
  kept = keepSpans();
  durations = keepMetrics();
});
afterEach(() => {
  kept.stop();
  metrics.disable();
});

test("a request has the attributes of the conventions, on both sides", async () => {
  await using at = await listen(await traced());
  await using client = await connect(at.mcp, { intercept: [await traceRequests()] });
  await client.callTool("say");
  const [outer, inner] = spansOf("tools/call say");
  expect(outer).toMatchObject({ kind: SpanKind.CLIENT, ends: 1, attributes: { "gen_ai.tool.name": "say" } });
  expect(inner).toMatchObject({
    kind: SpanKind.SERVER,
    attributes: {
      "mcp.method.name": "tools/call",
      "mcp.protocol.version": "2026-07-28",
      "jsonrpc.request.id": expect.stringMatching(/^\d+$/) as string,
    },
  });
  expect(inner?.attributes).not.toHaveProperty("mcp.session.id");
  expect(inner?.parent?.spanId).toBe(outer?.spanContext().spanId);
  const measured = durations.filter(({ attributes }) => attributes["gen_ai.tool.name"] === "say");
  expect(measured.map(({ name }) => name).toSorted()).toEqual([
    "mcp.client.operation.duration",
    "mcp.server.operation.duration",
  ]);
  for (const { attributes } of measured) expect(attributes).not.toHaveProperty("jsonrpc.request.id");
});

test("prompts and resources are named, and lists have spans of the client", async () => {
  await using at = await listen(await traced());
  await using client = await connect(at.mcp, { intercept: [await traceRequests()] });
  await client.getPrompt("greet");
  await client.readResource("notes://1");
  await client.listTools();
  expect(spansOf("prompts/get greet")).toHaveLength(2);
  expect(spansOf("resources/read").map(({ attributes }) => attributes["mcp.resource.uri"])).toEqual([
    "notes://1",
    "notes://1",
  ]);
  expect(spansOf("tools/list")).toHaveLength(1);
});

test.each<[string, string, string]>([
  ["fails", "fail", "tool_error"],
  ["does not exist", "nothing", "-32602"],
])("a call of a tool that %s has the code that the client sees", async (_, name, type) => {
  await using at = await listen(await traced());
  await using client = await connect(at.mcp, { intercept: [await traceRequests()] });
  await client.callTool(name).catch(() => undefined);
  const failed = kept.spans.filter(({ attributes }) => attributes["error.type"] !== undefined);
  expect(failed.map(({ attributes }) => attributes["error.type"])).toEqual([type, type]);
  expect(durations.filter(({ attributes }) => attributes["error.type"] === type)).toHaveLength(2);
  expect(JSON.stringify(kept.spans)).not.toContain("confidential");
});

test("the spans of a mounted server are below those of the call", async () => {
  await using far = await listen(await traced());
  const front = server({ name: "front", meters: [await traceWith()] });
  await front.mount("far", far.mcp, { intercept: [await traceRequests()] });
  kept.spans.length = 0;
  await front.call("say");
  const [first, second, third] = spansOf("tools/call say");
  expect([first?.kind, second?.kind, third?.kind]).toEqual([SpanKind.SERVER, SpanKind.CLIENT, SpanKind.SERVER]);
  expect(second?.parent?.spanId).toBe(first?.spanContext().spanId);
  expect(third?.parent?.spanId).toBe(second?.spanContext().spanId);
  expect(trace.getActiveSpan()).toBeUndefined();
  await front.close();
});

function spansOf(name: string) {
  return kept.spans.filter((span) => span.name === name);
}

async function traced() {
  return server({
    name: "traced",
    tools: {
      say: tool({ run: () => "said" }),
      fail: tool({
        run: () => {
          throw new Error("confidential");
        },
      }),
    },
    prompts: [prompt({ name: "greet", get: () => "Hello" })],
    resources: [resource({ name: "note", uri: "notes://{id}", read: () => "text" })],
    meters: [await traceWith()],
  });
}
