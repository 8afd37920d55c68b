import { afterEach, expect, test } from "vitest";
import { allow } from "biplane";
import type { Environment, ServeOptions } from "biplane";
import { counter } from "../../environment/counter.ts";
import { post, rpc } from "../../environment/endpoints.ts";
import { openSocket } from "./socket.ts";

const opened: Environment[] = [];
afterEach(() => Promise.all(opened.splice(0).map((each) => each.close())));

async function serve(options: ServeOptions = {}): Promise<string> {
  const subject = counter().govern({ mode: "production", policies: [() => allow()] });
  opened.push(subject);
  return (await subject.serve({ url: "http://127.0.0.1:0", ...options })).url;
}

test("production refuses every trainer endpoint, on every transport", async () => {
  const url = await serve({ openTrainerEndpoints: true });
  for (const path of ["/reset", "/step", "/control/reset_session", "/control/episodes", "/counter/tasks"]) {
    expect((await fetch(url + path, { method: "POST", body: "{}" })).status).toBe(404);
  }
  for (const path of ["/state", "/control/reward", "/control/episodes", "/e/x/mcp", "/list_environments"])
    expect((await fetch(url + path)).status).toBe(404);
  const { send } = await openSocket(url);
  for (const type of ["reset", "step", "state"]) {
    const data = type === "state" ? {} : { data: { tool_name: "add" } };
    expect(await send({ type, ...data })).toEqual({
      type: "error",
      data: {
        code: "EXECUTION_ERROR",
        message: `${type} is not available in production. Call tools in mcp frames.`,
      },
    });
  }
});

test("OpenEnv's client finds its tools: a session, a socket attached to it, calls over /mcp", async () => {
  const url = await serve();
  const call = async (method: string, params: Record<string, unknown> = {}) =>
    (await post(url, "/mcp", rpc(method, params))).body as { result: Record<string, unknown>; error?: object };
  const { session_id } = (await call("openenv/session/create")).result;
  const { send, socket, closed } = await openSocket(url, `/ws?session_id=${String(session_id)}`);
  expect((await call("tools/list", { session_id })).result["tools"]).toContainEqual(
    expect.objectContaining({ name: "add", inputSchema: expect.any(Object) }),
  );
  const add = (by: number) => ({ name: "add", arguments: { by } });
  expect(await call("tools/call", { ...add(2), session_id })).toMatchObject({ result: { data: { count: 2 } } });
  expect(await send({ type: "mcp", data: rpc("tools/call", add(3)) })).toMatchObject({
    data: { result: { structuredContent: { count: 5 } } },
  });
  expect(await call("tools/call", { ...add(1), session_id })).toMatchObject({
    error: { message: "The episode has ended. The next call starts another." },
  });
  expect(await call("tools/call", { ...add(1), session_id })).toMatchObject({ result: { data: { count: 1 } } });
  socket.close();
  await closed;
  expect(await call("openenv/session/close", { session_id })).toMatchObject({ result: { closed: true } });
});

test("a session belongs to the agent that created it", async () => {
  const authenticate: ServeOptions["authenticate"] = ({ headers }) => ({
    kind: "token",
    id: String(headers["x-name"]),
    scopes: [],
  });
  const url = await serve({ authenticate });
  const call = async (name: string, method: string, params: Record<string, unknown> = {}) =>
    (await post(url, "/mcp", rpc(method, params), { "x-name": name })).body as { result: Record<string, unknown> };
  const { session_id } = (await call("ada", "openenv/session/create")).result;
  const add = { name: "add", arguments: {}, session_id };
  expect(await call("bob", "tools/call", add)).toMatchObject({ error: { code: -32602 } });
  expect(await call("bob", "openenv/session/close", { session_id })).toMatchObject({ error: { code: -32602 } });
  expect(await call("ada", "tools/call", add)).toMatchObject({ result: { data: { count: 1 } } });
});

test("what describes an environment is for agents, and knows nothing of trainers", async () => {
  const authenticate: ServeOptions["authenticate"] = ({ headers }) =>
    headers.authorization === undefined ? undefined : { kind: "token", id: "agent", scopes: [] };
  const url = await serve({ authenticate, openTrainerEndpoints: true });
  const get = async (path: string) =>
    (await (await fetch(url + path, { headers: { authorization: "mine" } })).json()) as Record<string, object>;
  expect((await fetch(`${url}/schema`)).status).toBe(401);
  const { action = {}, observation = {}, state = {}, ...more } = await get("/schema");
  expect(more).toEqual({});
  expect(action).toMatchObject({ properties: { tool_name: {}, arguments: {} } });
  expect([observation, state]).toEqual([
    { title: "Observation", type: "object", properties: { metadata: expect.any(Object) }, additionalProperties: true },
    { title: "State", type: "object", properties: {}, additionalProperties: false },
  ]);
  expect(await get("/metadata")).toMatchObject({ name: "counter", description: "Count up to a goal" });
  expect(Object.keys((await get("/openapi.json"))["paths"] ?? {})).toEqual(["/health", "/metadata", "/schema", "/mcp"]);
});
