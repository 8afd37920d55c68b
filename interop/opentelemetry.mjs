// OpenTelemetry's own SDK exports the spans and metrics of a rollout to an OTLP receiver: opentelemetry.mjs URL HOME
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { gallery } from "@biplane/gallery";
import { traceRollouts } from "../packages/biplane/src/observe/rollout-spans.ts";
import { traceWith } from "../packages/biplane/src/observe/spans.ts";
import { openaiAgent } from "../packages/biplane/src/rollout/agent/openai.ts";
import { make } from "../packages/biplane/src/rollout/make.ts";
import { rollout } from "../packages/biplane/src/rollout/rollout.ts";
import { seedRows } from "../packages/biplane/src/rollout/row.ts";
import { startModel } from "./scripted-model.mjs";
import { importDownloaded } from "./sdk-checks.mjs";
import { check } from "./trainer-checks.mjs";

const api = await importDownloaded("@opentelemetry/api");
const { NodeTracerProvider, BatchSpanProcessor } = await importDownloaded("@opentelemetry/sdk-trace-node");
const { OTLPTraceExporter } = await importDownloaded("@opentelemetry/exporter-trace-otlp-http");
const { MeterProvider, PeriodicExportingMetricReader } = await importDownloaded("@opentelemetry/sdk-metrics");
const { OTLPMetricExporter } = await importDownloaded("@opentelemetry/exporter-metrics-otlp-http");

const received = { spans: [], metrics: [] };
const receiver = createServer((request, response) => {
  void json(request).then((body) => {
    for (const { scopeSpans } of body.resourceSpans ?? [])
      for (const { spans } of scopeSpans) received.spans.push(...spans);
    for (const { scopeMetrics } of body.resourceMetrics ?? [])
      for (const { metrics } of scopeMetrics) received.metrics.push(...metrics);
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
});
await new Promise((resolve) => receiver.listen(0, "127.0.0.1", resolve));
const address = `http://127.0.0.1:${receiver.address().port}`;

const tracing = new NodeTracerProvider({
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${address}/v1/traces` }))],
});
tracing.register();
const reader = new PeriodicExportingMetricReader({
  exporter: new OTLPMetricExporter({ url: `${address}/v1/metrics` }),
});
const measuring = new MeterProvider({ readers: [reader] });
api.metrics.setGlobalMeterProvider(measuring);

await check("A rollout arrives at an OTLP receiver as spans of agent, model and tools", async () => {
  const moves = ["DOWN", "DOWN", "RIGHT", "RIGHT", "DOWN", "RIGHT"];
  const model = await startModel((messages) => {
    const turn = messages.filter(({ role }) => role === "assistant").length;
    return { call: ["lake_move", { action: moves[turn] }] };
  });
  const lake = gallery["frozen-lake"]();
  lake.server.measure(await traceWith({ api }));
  const envs = await make(lake, { rows: seedRows([42]) });
  const agent = openaiAgent({ model: "scripted", baseUrl: model.url });
  for await (const row of rollout(envs, { agent, env: {}, telemetry: await traceRollouts({ api }) }))
    assert.equal(row.trace.totalReward, 1);
  await tracing.forceFlush();
  await measuring.forceFlush();
  const [root] = received.spans.filter(({ name }) => name === "invoke_agent openai");
  const below = (span) => received.spans.filter(({ parentSpanId }) => parentSpanId === span.spanId);
  const names = below(root).map(({ name }) => name);
  const count = (wanted) => names.filter((name) => name === wanted).length;
  assert.deepEqual([count("chat scripted"), count("execute_tool lake_move"), names.length], [6, 6, 12]);
  for (const span of below(root).filter(({ name }) => name.startsWith("execute_tool")))
    assert.deepEqual(
      below(span).map(({ name }) => name),
      ["tools/call lake_move"],
    );
  assert.equal(new Set(received.spans.map(({ traceId }) => traceId)).size, 1);
  return `${received.spans.length} spans in one trace`;
});

await check("The token usage and the durations of its requests arrive as histograms", async () => {
  const [tokens] = received.metrics.filter(({ name }) => name === "gen_ai.client.token.usage");
  const sums = tokens.histogram.dataPoints.map(({ attributes, sum, count, explicitBounds }) => {
    assert.equal(explicitBounds.at(-1), 67108864);
    return [attributes.find(({ key }) => key === "gen_ai.token.type").value.stringValue, sum, Number(count)];
  });
  assert.deepEqual(sums.toSorted(), [
    ["input", 18, 6],
    ["output", 12, 6],
  ]);
  assert.ok(received.metrics.some(({ name }) => name === "gen_ai.client.operation.duration"));
  assert.ok(received.metrics.some(({ name }) => name === "mcp.server.operation.duration"));
  return received.metrics.map(({ name }) => name).join(", ");
});

await tracing.shutdown();
await measuring.shutdown();
receiver.close();
