import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { allow, environment } from "biplane";
import { connect } from "biplane/client";
import { make, rollout, scriptedAgent, seedRows } from "biplane/rollout";
import { biplane, program } from "../support/project.ts";

/** RFC 003's third scenario: an environment in production, and a client that knows MCP only. */
const counter = environment({
  name: "counter",
  mode: "production",
  policies: [() => allow()],
  start: () => ({ count: 0 }),
  observe: ({ count }) => ({ count }),
  tools: (tool) => ({ count_up: tool({ run: (_, { state }) => ({ count: ++state.count }) }) }),
  reward: () => 1,
});
const folder = mkdtempSync(join(tmpdir(), "biplane-production-"));
let url = "";
beforeAll(async () => {
  ({ url } = await counter.serve("http://127.0.0.1:0"));
});
afterAll(async () => {
  await counter.close();
  rmSync(folder, { recursive: true });
});
const countUp = { name: "count_up", arguments: {} };
const counted = { structuredContent: { count: expect.any(Number) } };

test("official clients of both eras play an environment in production", async () => {
  const older = new ClientV1({ name: "v1", version: "1" });
  await older.connect(new HttpV1(new URL(`${url}/mcp`)));
  expect(await older.callTool(countUp)).toMatchObject(counted);
  await older.close();
  const newer = new Client({ name: "v2", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await newer.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  expect(await newer.callTool(countUp)).toMatchObject(counted);
  await newer.close();
});

test("biplane call and biplane proxy play an environment in production", async () => {
  const called = await biplane(["call", `${url}/mcp`, "count_up"], { cwd: folder });
  expect([called.code, called.stdout]).toEqual([0, expect.stringContaining("count")]);
  const config = join(folder, "mcp.json");
  writeFileSync(config, JSON.stringify({ mcpServers: { counter: { url: `${url}/mcp` } } }));
  await using client = await connect({ command: process.execPath, args: [program, "proxy", config], cwd: folder });
  expect(await client.callTool("count_up")).toMatchObject(counted);
});

test.each(["/mcp", ""])("make and rollout play an environment in production at %j", async (path) => {
  await using envs = await make(url + path, { rows: seedRows([1]) });
  const agent = scriptedAgent([{ tool: "count_up", input: {} }, "Enough."]);
  for await (const { trace } of rollout(envs, { agent, env: {} })) {
    expect(trace.steps[0]?.observation).toEqual({ count: 1 });
    expect(trace.ending.reason).toBe("stop");
  }
});
