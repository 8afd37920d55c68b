import { expect, test } from "vitest";
import { server, tool } from "biplane";
import type { Principal } from "biplane";
import { eventBytes } from "../../packages/core/src/wire/mcp/event-log.ts";
import { subscriptionBytes } from "../../packages/core/src/wire/mcp/subscriptions.ts";

const authenticate = ({ headers }: { headers: Readonly<Record<string, unknown>> }): Principal => ({
  kind: "token",
  id: String(headers["authorization"]),
  scopes: [],
});

async function open(url: string, who: string): Promise<string | null> {
  const response = await post(url, who, {
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
  });
  await response.text();
  return response.headers.get("mcp-session-id");
}

function post(url: string, who: string, message: object, session?: string): Promise<Response> {
  return fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: who,
      ...(session && { "mcp-session-id": session }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }),
  });
}

const ping = async (url: string, who: string, session: string | null) =>
  (await post(url, who, { method: "ping" }, session ?? "none")).status;

test("a caller that opens too many sessions loses only its own oldest ones", async () => {
  await using gateway = server({ name: "s", version: "1" });
  const { url } = await gateway.serve({ url: "http://127.0.0.1:0", authenticate, maxSessions: 200 });
  const ada = await open(url, "ada");
  const first = await open(url, "mallory");
  for (let n = 0; n < 25; n++) await open(url, "mallory");
  expect(await ping(url, "mallory", first)).toBe(404);
  expect(await ping(url, "ada", ada)).toBe(200);
});

test("events that sessions keep are charged to their caller, and released with the session", async () => {
  const before = eventBytes.total;
  const talk = tool({
    name: "talk",
    input: { type: "object", properties: {} },
    run: async (_, call) => {
      for (let n = 0; n < 20; n++) call.log("info", "x".repeat(100_000));
      await Promise.resolve();
      return "said";
    },
  });
  await using gateway = server({ name: "s", version: "1", tools: [talk] });
  const { url } = await gateway.serve({ url: "http://127.0.0.1:0", authenticate });
  const message = { method: "tools/call", params: { name: "talk", arguments: {} } };
  for (let n = 0; n < 20; n++) {
    const session = await open(url, "mallory");
    await (await post(url, "mallory", message, session ?? "")).text();
  }
  expect(eventBytes.total).toBeGreaterThan(before);
  expect(eventBytes.largest).toBeLessThanOrEqual(eventBytes.limits.perCaller);
  await gateway.close();
  await expect.poll(() => eventBytes.total).toBe(before);
});

test("what a client says of itself and subscribes to is limited, because its sessions keep it", async () => {
  await using gateway = server({ name: "s", version: "1" });
  const { url } = await gateway.serve({ url: "http://127.0.0.1:0", authenticate });
  const initialize = (capabilities: object) =>
    post(url, "ada", {
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities, clientInfo: { name: "n".repeat(1e6), version: "1" } },
    });
  const refused = await initialize({ experimental: { long: "x".repeat(20_000) } });
  expect(await refused.text()).toContain("capabilities has more than 16384 characters");
  const session = (await initialize({})).headers.get("mcp-session-id") ?? "";
  const subscribe = async (uri: string) =>
    (await post(url, "ada", { method: "resources/subscribe", params: { uri } }, session)).text();
  const long = "u".repeat(1_500_000);
  expect(await subscribe(`${long}1`)).toContain("result");
  expect(await subscribe(`${long}1`)).toContain("result");
  expect(await subscribe(`${long}2`)).toContain("result");
  expect(await subscribe(`${long}3`)).toContain("bytes of subscriptions");
  expect(subscriptionBytes.heldBy("token ada")).toBeGreaterThan(3_000_000);
  await fetch(`${url}/mcp`, { method: "DELETE", headers: { authorization: "ada", "mcp-session-id": session } });
  expect(subscriptionBytes.total).toBe(0);
});
