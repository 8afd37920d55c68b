import { afterEach, expect, test } from "vitest";
import { environment } from "biplane";
import type { Environment } from "biplane";
import { counter } from "../../environment/counter.ts";
import { controlPlane, post, rpc } from "../../environment/endpoints.ts";

const opened: Environment[] = [];
afterEach(() => Promise.all(opened.splice(0).map((each) => each.close())));

async function serve(subject: Environment = counter()): Promise<string> {
  opened.push(subject);
  return (await subject.serve("http://127.0.0.1:0")).url;
}

/** What Eval Protocol's client does before it plays. */
async function connect(url: string, extra: object) {
  const clientInfo = { name: "reward-kit", version: "1.0.0", _extra: extra };
  const { sessionId } = await post(
    url,
    "/mcp/",
    rpc("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo }),
  );
  const headers = { "mcp-session-id": sessionId ?? "" };
  const call = async (name: string, input: object = {}) =>
    (await post(url, "/mcp/", rpc("tools/call", { name, arguments: input }), headers)).body;
  return { call, end: () => fetch(`${url}/mcp/`, { method: "DELETE", headers }) };
}

const reset = (url: string, id: string, body?: object) =>
  fetch(`${url}/control/reset_session`, {
    method: "POST",
    headers: { "mcp-session-id": id },
    ...(body && { body: JSON.stringify(body) }),
  });

test("the first episode has the seed and the config of the greeting", async () => {
  const url = await serve();
  const first = await connect(url, { session_id: "a", seed: 0, config: { goal: 2, prompt: "ignored" } });
  const second = await connect(url, { session_id: "b", seed: 0, config: { goal: 2 } });
  expect(await first.call("roll")).toEqual(await second.call("roll"));
  const control = controlPlane(url, "a");
  expect(await control("info")).toEqual({ goal: 2 });
  expect(await control("initial_state")).toEqual({ count: 0 });
});

test("rewards and endings are separate from observations", async () => {
  const url = await serve();
  const { call } = await connect(url, { session_id: "a", config: { goal: 3 } });
  const control = controlPlane(url, "a");
  await call("add");
  expect(await control("reward")).toEqual({ reward: 1, step_count: 1, parts: { progress: 1, style: 0 } });
  expect(await control("status")).toEqual({ terminated: false, truncated: false, step_count: 1, total_reward: 1 });
  await call("add", { by: 0 });
  expect(await control("reward")).toMatchObject({ step_count: 1 });
  await call("add", { by: 2 });
  expect(await control("status")).toEqual({ terminated: true, truncated: false, step_count: 2, total_reward: 3 });
  expect(await control("initial_state")).toEqual({ count: 0 });
});

test("a second greeting with the same id starts afresh, and control follows the newest", async () => {
  const url = await serve();
  const [older, newer] = [
    await connect(url, { session_id: "same", seed: 1 }),
    await connect(url, { session_id: "same", seed: 1 }),
  ];
  await older.call("add", { by: 2 });
  const control = controlPlane(url, "same");
  expect(await control("status")).toMatchObject({ step_count: 0 });
  await newer.call("add");
  expect(await control("reward")).toMatchObject({ reward: 1 });
  await older.end();
  expect(await control("reward")).toMatchObject({ reward: 1 });
  await newer.end();
  expect(await control("reward")).toMatchObject({ error: "NOT_FOUND", message: "Session same not found" });
});

test("a reset is idempotent, takes a seed, and is no error for a session that is gone", async () => {
  const url = await serve();
  const { call } = await connect(url, { session_id: "a", seed: 1, config: { goal: 99 } });
  const rolled = await call("roll");
  for (const body of [{ seed: 1 }, { seed: 1 }, { seed: 1 }]) {
    const response = await reset(url, "a", body);
    expect([response.status, await response.json()]).toEqual([200, { ok: true }]);
  }
  expect(await call("roll")).toEqual(rolled);
  expect((await reset(url, "a")).status).toBe(200);
  expect((await reset(url, "a", { seed: null })).status).toBe(200);
  expect((await reset(url, "never-there", { seed: 1 })).status).toBe(200);
  expect((await reset(url, "a", { seed: -4 })).status).toBe(400);
});

test.each([
  ["no id", {}, 400, /Missing mcp-session-id/],
  ["an unknown id", { "mcp-session-id": "nope" }, 404, /Session nope not found/],
  ["an id that is too long", { "mcp-session-id": "x".repeat(200) }, 400, /1 to 128/],
  ["an id with odd characters", { "mcp-session-id": "a b" }, 400, /1 to 128/],
])("%s is reported in a small JSON body", async (_, headers, status, message) => {
  const response = await fetch(`${await serve()}/control/reward`, { headers });
  expect(response.status).toBe(status);
  const told = (await response.json()) as { error: string; message: string };
  expect(told.error).toBe(status === 404 ? "NOT_FOUND" : "INVALID_INPUT");
  expect(told.message).toMatch(message);
});

test("a reward that breaks is null there until the end, and never fails the call", async () => {
  const subject = environment({
    name: "broken",
    version: "1",
    start: () => ({}),
    observe: () => ({}),
    tools: (tool) => ({ go: tool({ run: () => ({ went: true }) }) }),
    reward: () => {
      throw new Error("no reward today");
    },
    onFault: () => undefined,
  });
  const url = await serve(subject);
  const { call } = await connect(url, { session_id: "a" });
  expect(await call("go")).toMatchObject({ result: { structuredContent: { went: true } } });
  const response = await fetch(`${url}/control/reward`, { headers: { "mcp-session-id": "a" } });
  const failure = { kind: "judge", message: "reward failed: no reward today", masked: true };
  expect([response.status, await response.json()]).toEqual([200, { reward: null, step_count: 1, failure }]);
  expect(await controlPlane(url, "a")("status")).toMatchObject({ terminated: false, total_reward: null, failure });
});

test("an info that breaks is a 500 there", async () => {
  const subject = environment({
    name: "broken",
    start: () => ({}),
    observe: () => ({}),
    tools: (tool) => ({ go: tool({ run: () => "went" }) }),
    info: () => {
      throw new Error("no info today");
    },
  });
  const url = await serve(subject);
  await connect(url, { session_id: "a" });
  const response = await fetch(`${url}/control/info`, { headers: { "mcp-session-id": "a" } });
  expect([response.status, await response.json()]).toEqual([500, { error: "INTERNAL", message: "no info today" }]);
});

test("what was seen first can be read as a resource too", async () => {
  const url = await serve();
  const clientInfo = { name: "reward-kit", version: "1", _extra: { session_id: "a" } };
  const { sessionId } = await post(
    url,
    "/mcp",
    rpc("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo }),
  );
  const headers = { "mcp-session-id": sessionId ?? "" };
  const { body: listed } = await post(url, "/mcp", rpc("resources/list", {}), headers);
  const [{ uri, name }] = (listed["result"] as { resources: [{ uri: string; name: string }] }).resources;
  expect(name).toBe("initial_state");
  const { body } = await post(url, "/mcp", rpc("resources/read", { uri }), headers);
  expect(body).toMatchObject({ result: { contents: [{ text: '{"count":0}' }] } });
});
