import { afterAll, beforeAll, expect, test } from "vitest";
import { modernMeta } from "./endpoints.ts";
import type { Json } from "./endpoints.ts";
import { subject } from "./subject.ts";

/**
 * The wire contract, byte for byte. A change in these files is a change that others see: additions need a minor
 * version, anything else a major one.
 */
const { server } = subject();
let url = "";
beforeAll(async () => {
  ({ url } = await server.serve({ url: "http://127.0.0.1:0", stateKey: "golden" }));
});
afterAll(() => server.close());

const call = (name: string, input: Json = {}) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name, arguments: input },
});
const modern = (method: string, params: Json = {}) => ({
  body: { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: modernMeta() } },
  headers: {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(typeof params["name"] === "string" && { "mcp-name": params["name"] }),
  },
});

test("REST", async () => {
  const post = (body: unknown) => ({ path: "/mcp/execute", body });
  await expect(
    await transcript([
      { path: "/mcp/capabilities" },
      post({ tool: "add", arguments: { a: 1, b: 2 }, agent: { agent_id: "me", request_id: "r-1" } }),
      post({ tool: "greet" }),
      post({ tool: "nonsense" }),
      post({ tool: "add", arguments: { a: 1 } }),
      post({ tool: "forbidden" }),
      post({ tool: "fail" }),
      post({ tool: "slow" }),
      post({ tool: "ask" }),
      post({ tool: 1 }),
      post({ tool: "add", arguments: {}, extra: true }),
      post("not json"),
      { path: "/elsewhere" },
    ]),
  ).toMatchFileSnapshot("transcripts/rest.txt");
});

test("plain JSON-RPC", async () => {
  await expect(
    await transcript([
      { body: { jsonrpc: "2.0", id: "a", method: "ping" } },
      { body: { jsonrpc: "2.0", id: 1, method: "tools/list" } },
      { body: call("add", { a: 1, b: 2 }) },
      { body: call("picture") },
      { body: call("fail") },
      { body: call("forbidden") },
      { body: call("nonsense") },
      { body: { jsonrpc: "2.0", id: 1, method: "no/such" } },
      { body: { jsonrpc: "2.0", id: null, method: "ping" } },
      { body: { jsonrpc: "2.0", method: "notifications/initialized" } },
      { body: "not json" },
      { body: [] },
    ]),
  ).toMatchFileSnapshot("transcripts/json-rpc.txt");
});

test("2026-07-28", async () => {
  const withoutMethod = { ...modern("tools/list"), headers: { "mcp-protocol-version": "2026-07-28" } };
  const outsider = { ...modernMeta(), "io.modelcontextprotocol/protocolVersion": "1900-01-01" };
  await expect(
    await transcript([
      modern("server/discover"),
      modern("tools/list"),
      modern("tools/call", { name: "add", arguments: { a: 1, b: 2 } }),
      modern("tools/call", { name: "list" }),
      modern("tools/call", { name: "fail" }),
      modern("tools/call", { name: "ask" }),
      modern("initialize"),
      withoutMethod,
      {
        body: { jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: outsider } },
        headers: { "mcp-protocol-version": "1900-01-01" },
      },
      {
        body: { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} },
        headers: { "mcp-protocol-version": "2026-07-28" },
      },
    ]),
  ).toMatchFileSnapshot("transcripts/2026-07-28.txt");
});

test("the handshake of 2025-11-25 and older", async () => {
  const hello = (protocolVersion: string) => ({
    body: {
      jsonrpc: "2.0",
      id: 0,
      method: "initialize",
      params: { protocolVersion, capabilities: {}, clientInfo: { name: "me", version: "1" } },
    },
  });
  await expect(
    await transcript([
      hello("2025-11-25"),
      hello("2024-11-05"),
      hello("2199-01-01"),
      { body: { jsonrpc: "2.0", id: 1, method: "tools/list" }, headers: { "mcp-session-id": "unknown" } },
      { body: { jsonrpc: "2.0", id: 1, method: "tools/list" }, headers: { "mcp-protocol-version": "1999-01-01" } },
    ]),
  ).toMatchFileSnapshot("transcripts/handshake.txt");
});

interface Exchange {
  readonly path?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

async function transcript(exchanges: readonly Exchange[]): Promise<string> {
  const parts: string[] = [];
  for (const { path = "/mcp", body, headers = {} } of exchanges) {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const init = body === undefined ? {} : { method: "POST", body: text };
    const response = await fetch(url + path, { ...init, headers: { "content-type": "application/json", ...headers } });
    const sent = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`);
    const kept = ["content-type", "mcp-session-id", "allow"].flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [`${name}: ${value}\n`];
    });
    const asked = `> ${body === undefined ? "GET" : "POST"} ${path}\n${sent.join("")}${text ?? ""}`;
    parts.push(`${asked}\n< ${response.status}\n${kept.join("")}${await response.text()}\n`);
  }
  return parts
    .join("\n")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uuid>")
    .replaceAll(/"request_id":"[0-9a-f]{8}-[0-9a-f]{4}-\w+"/g, '"request_id":"<id>"');
}
