import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { server, tool } from "biplane";
import type { Served } from "biplane";
import { connect } from "biplane/client";
import { startHost } from "biplane/host";
import { sessionHeaders } from "../support/session.ts";
import { gallery } from "@biplane/gallery";

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

async function start(serve: readonly Served[], settings: Readonly<Record<string, unknown>> = {}) {
  const folder = await mkdtemp(join(tmpdir(), "biplane-host-"));
  folders.push(folder);
  const quiet = { listen: "http://127.0.0.1:0", "logging.level": "error", ...settings };
  return startHost({ serve, folder, settings: quiet });
}

const echo = tool({
  name: "echo",
  input: { type: "object", properties: { text: { type: "string" } } },
  run: (input) => input,
});

test("a host serves its servers with the admin page, and closes them", async () => {
  const host = await start([server({ name: "mine", tools: [echo] })]);
  const call = await fetch(`${host.url}/mcp/execute`, {
    method: "POST",
    body: JSON.stringify({ tool: "echo", arguments: { text: "hi" } }),
  });
  expect(await call.json()).toMatchObject({ result: { text: "hi" } });
  expect((await fetch(`${host.url}/api/overview`)).status).toBe(401);
  expect(await host.setupCode()).toEqual(expect.any(String));
  await host.close();
  await host.closed;
  await expect(fetch(host.url)).rejects.toThrow("fetch failed");
});

test("with auth.storedTokens, callers need a token that was made on the page", async () => {
  const host = await start([server({ name: "mine", tools: [echo] })], { "auth.storedTokens": true });
  const call = async (headers: Record<string, string> = {}) =>
    (await fetch(`${host.url}/mcp/execute`, { method: "POST", headers, body: JSON.stringify({ tool: "echo" }) }))
      .status;
  expect(await call()).toBe(401);
  const passphrase = "correct horse battery staple";
  const setUp = await fetch(`${host.url}/api/setup`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code: await host.setupCode(), name: "ada", passphrase }),
  });
  const headers = { ...(await sessionHeaders(setUp)), "content-type": "application/json" };
  const body = JSON.stringify({ principal: "bot" });
  const made = await fetch(`${host.url}/api/access-tokens`, { method: "POST", headers, body });
  const { token } = (await made.json()) as { token: string };
  expect(await call({ authorization: `Bearer ${token}` })).toBe(200);
  await host.close();
});

test("the default rate limit of a host is 10 requests per second, burst 20", async () => {
  const host = await start([server({ name: "mine", tools: [echo] })]);
  const call = () => fetch(`${host.url}/mcp/execute`, { method: "POST", body: JSON.stringify({ tool: "echo" }) });
  const statuses = await Promise.all(Array.from({ length: 60 }, async () => (await call()).status));
  expect(statuses).toContain(429);
  await host.close();
});

test("a host that is closed twice is closed when both calls return", async () => {
  const host = await start([server({ name: "mine", tools: [echo] })]);
  const order: string[] = [];
  const first = host.close().then(() => order.push("first"));
  await host.close();
  order.push("second");
  await first;
  expect(order).toEqual(["first", "second"]);
});

test.each([
  [true, ["call_tool", "get_tool_schema", "search_tools"]],
  [{ always: ["echo"] }, ["call_tool", "echo", "get_tool_schema", "search_tools"]],
  [false, ["echo", "other"]],
])("with disclose: %j it lists %j, and calls every tool", async (disclose, listed) => {
  const other = tool({ name: "other", run: () => "hidden" });
  const lake = gallery["frozen-lake"]?.();
  if (!lake) throw new Error("there is no lake");
  const host = await start([server({ name: "mine", tools: [echo, other] }), lake], { disclose });
  const client = await connect(`${host.url}/mcp`);
  expect((await client.listTools()).map(({ name }) => name).sort()).toEqual(listed);
  const called = disclose === false ? client.callTool("other") : client.callTool("call_tool", { name: "other" });
  expect(await called).toMatchObject({ content: [{ text: "hidden" }] });
  await client.close();
  const player = await connect(`${host.url}/env/frozen-lake/mcp`);
  expect((await player.listTools()).map(({ name }) => name)).toEqual(["lake_move"]);
  await player.close();
  await host.close();
});

test("log lines contain no secret of a served server", async () => {
  const secret = "supersecret-0123456789";
  const failing = server({ name: "mine", tools: [echo], secrets: { KEY: secret } });
  failing.policy(() => {
    throw new Error(`the policy saw ${secret}`);
  });
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  try {
    const host = await start([failing]);
    await fetch(`${host.url}/mcp/execute`, { method: "POST", body: JSON.stringify({ tool: "echo" }) });
    await host.close();
    const text = written.mock.calls.map(([line]) => String(line)).join("");
    expect(text).toContain("the policy saw");
    expect(text).not.toContain(secret);
  } finally {
    written.mockRestore();
  }
});

test("a host with nothing to serve says what to pass", async () => {
  await expect(start([])).rejects.toThrow(/Nothing to serve/);
});
