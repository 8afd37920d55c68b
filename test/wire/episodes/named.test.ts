import { afterEach, expect, test } from "vitest";
import type { Environment, ServeOptions } from "biplane";
import { counter } from "../../environment/counter.ts";
import { post, rpc } from "../../environment/endpoints.ts";

const opened: Environment[] = [];
afterEach(() => Promise.all(opened.splice(0).map((each) => each.close())));

async function serve(options: ServeOptions = {}): Promise<string> {
  const subject = counter();
  opened.push(subject);
  return (await subject.serve({ url: "http://127.0.0.1:0", ...options })).url;
}

const hello = rpc("initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "stock", version: "1" },
});
const add = rpc("tools/call", { name: "add", arguments: {} });

test.each([
  ["initialize", hello],
  ["tools/list", rpc("tools/list", {})],
  ["tools/call", add],
])("%s in an episode that does not exist is not found", async (_, message) => {
  const url = await serve();
  const missing = { error: "NOT_FOUND", message: 'There is no episode "nowhere".' };
  expect(await post(url, "/e/nowhere/mcp", message)).toMatchObject({ status: 404, body: missing });
  const { body } = await post(url, "/control/episodes", {});
  const path = `/e/${String(body["id"])}/mcp`;
  expect((await post(url, path, message)).status).toBe(200);
  await fetch(`${url}/control/episodes/${String(body["id"])}`, { method: "DELETE" });
  expect((await post(url, path, message)).status).toBe(404);
});

test("REST in an episode that does not exist is not found", async () => {
  const url = await serve();
  const order = { tool: "add", arguments: {} };
  expect(await post(url, "/e/nowhere/mcp/execute", order)).toMatchObject({ status: 404, body: { error: "NOT_FOUND" } });
});

test.each(["", "/snapshot", "/render"])(
  "GET /control/episodes/<unknown>%s names the episode, not a tool",
  async (path) => {
    const response = await fetch(`${await serve()}/control/episodes/nowhere${path}`);
    expect([response.status, await response.json()]).toEqual([
      404,
      { error: "NOT_FOUND", message: 'There is no episode "nowhere".' },
    ]);
  },
);

test("a step in an unknown episode names the episode", async () => {
  const answer = await post(await serve(), "/step", { action: { tool_name: "add" }, episode_id: "nowhere" });
  expect(answer).toMatchObject({ status: 404, body: { detail: 'There is no episode "nowhere".' } });
});

test.each(["id", "label"])("an episode is played and read by the %s that its caller chose", async (key) => {
  const url = await serve();
  const { status, body } = await post(url, "/control/episodes", { [key]: "task 7/a", seed: 3 });
  expect([status, body["label"]]).toEqual([200, "task 7/a"]);
  const name = encodeURIComponent("task 7/a");
  expect((await post(url, `/e/${name}/mcp`, hello)).status).toBe(200);
  expect(await post(url, `/e/${name}/mcp`, add)).toMatchObject({
    body: { result: { structuredContent: { count: 1 } } },
  });
  expect((await post(url, `/e/${name}/mcp/execute`, { tool: "add", arguments: {} })).body["result"]).toEqual({
    count: 2,
  });
  const read = await fetch(`${url}/control/episodes/${name}`);
  expect(await read.json()).toMatchObject({ id: body["id"], seed: 3, step_count: 2 });
  expect((await fetch(`${url}/control/episodes/${name}`, { method: "DELETE" })).status).toBe(200);
  expect((await post(url, `/e/${name}/mcp`, add)).status).toBe(404);
});

test("an id is given once, and is free again after the end", async () => {
  const url = await serve();
  expect((await post(url, "/control/episodes", { id: "one" })).status).toBe(200);
  expect(await post(url, "/control/episodes", { id: "one" })).toMatchObject({
    status: 409,
    body: { error: "CONFLICT", message: 'An episode "one" is open. End it first, or choose another id.' },
  });
  await fetch(`${url}/control/episodes/one`, { method: "DELETE" });
  expect((await post(url, "/control/episodes", { id: "one" })).status).toBe(200);
  expect((await post(url, "/control/episodes", { id: 7 })).body).toMatchObject({ message: "id must be a string." });
});

test("an episode of a reset with a name is played over MCP by that name", async () => {
  const url = await serve();
  await post(url, "/reset", { episode_id: "mine" });
  expect(await post(url, "/e/mine/mcp", add)).toMatchObject({ body: { result: { structuredContent: { count: 1 } } } });
});

test("a name belongs to its caller, and an agent finds no episode of another by name", async () => {
  const kinds: Readonly<Record<string, "trainer" | "token">> = { t1: "trainer", t2: "trainer", a1: "token" };
  const url = await serve({
    authenticate: ({ headers }) => {
      const id = String(headers["authorization"]).replace("Bearer ", "");
      return { kind: kinds[id] ?? "token", id, scopes: [] };
    },
  });
  const as = (id: string) => ({ authorization: `Bearer ${id}` });
  const first = await post(url, "/control/episodes", { id: "same" }, as("t1"));
  const second = await post(url, "/control/episodes", { id: "same" }, as("t2"));
  expect([first.status, second.status]).toEqual([200, 200]);
  await post(url, "/e/same/mcp", add, as("t1"));
  const count = async (id: unknown) => {
    const response = await fetch(`${url}/control/episodes/${String(id)}`, { headers: as("t1") });
    return ((await response.json()) as Record<string, unknown>)["step_count"];
  };
  expect([await count(first.body["id"]), await count(second.body["id"])]).toEqual([1, 0]);
  expect((await post(url, "/e/same/mcp", add, as("a1"))).status).toBe(404);
  expect((await post(url, `/e/${String(first.body["id"])}/mcp`, add, as("a1"))).status).toBe(200);
});

test("an agent is not told to reset, which it cannot", async () => {
  const url = await serve();
  const { body } = await post(url, "/control/episodes", { config: { goal: 1 } });
  const path = `/e/${String(body["id"])}/mcp`;
  await post(url, path, add);
  const late = JSON.stringify((await post(url, path, add)).body);
  expect(late).toContain("The episode has ended. It takes no more calls.");
  expect(late.toLowerCase()).not.toContain("reset");
});

test("of several requests for one id, one gets it", async () => {
  const url = await serve();
  const answers = await Promise.all(Array.from({ length: 5 }, () => post(url, "/control/episodes", { id: "one" })));
  expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409, 409, 409, 409]);
  const { episodes } = (await (await fetch(`${url}/control/episodes`)).json()) as { episodes: unknown[] };
  expect(episodes).toHaveLength(1);
});
