import { afterEach, describe, expect, test } from "vitest";
import { environment } from "biplane";
import type { Environment, ServeOptions } from "biplane";
import { counter } from "../../environment/counter.ts";
import { post, rpc } from "../../environment/endpoints.ts";
import { openSocket } from "./socket.ts";

const opened: Environment[] = [];
afterEach(() => Promise.all(opened.splice(0).map((each) => each.close())));

async function serve(subject: Environment, options: ServeOptions = {}): Promise<string> {
  opened.push(subject);
  return (await subject.serve({ url: "http://127.0.0.1:0", ...options })).url;
}

/** The typed kind: its action is the input of one tool. */
function typed(): Environment {
  return environment({
    name: "typed",
    version: "1.0.0",
    start: () => ({ column: -1 }),
    observe: ({ column }) => ({ column }),
    action: "drop",
    tools: (tool) => ({
      drop: tool({
        input: {
          type: "object",
          properties: { column: { type: "integer", minimum: 0, maximum: 6 } },
          required: ["column"],
        },
        run: ({ column }, { state }) => {
          if (column === 6) throw new Error("That column is full");
          state.column = column;
        },
      }),
    }),
    reward: ({ after }) => after.column,
  });
}

describe("/ws", () => {
  test("plays: reset, list tools, call tools, state", async () => {
    const { send } = await openSocket(await serve(counter()));
    expect(await send({ type: "reset", data: { seed: 7, episode_id: "ep" } })).toMatchObject({
      type: "observation",
      data: { observation: { count: 0 }, reward: 0, done: false, metadata: { episode_id: "ep", step_count: 0 } },
    });
    const { data } = await send({ type: "step", data: { type: "list_tools" } });
    expect((data["observation"] as { tools: { name: string }[] }).tools.map(({ name }) => name)).toContain("add");
    expect(
      await send({ type: "step", data: { type: "call_tool", tool_name: "add", arguments: { by: 2 }, metadata: {} } }),
    ).toEqual({
      type: "observation",
      data: {
        // What a trainer shows to its model: no reward, no end, no id.
        observation: {
          tool_name: "add",
          result: {
            content: expect.any(Array),
            data: { count: 2 },
            structured_content: { count: 2 },
            meta: {},
            is_error: false,
          },
          error: null,
        },
        reward: 2,
        done: false,
        metadata: { episode_id: "ep", step_count: 1, reward_parts: { progress: 2, style: 0 } },
      },
    });
    expect(await send({ type: "state" })).toEqual({
      type: "state",
      data: { episode_id: "ep", step_count: 1, bonus: expect.any(Number) },
    });
  });

  test("tools are listed before a reset; a step is refused, and starts no episode that nobody knows of", async () => {
    const subject = counter();
    const { send } = await openSocket(await serve(subject));
    const listed = await send({ type: "step", data: { type: "list_tools" } });
    expect(listed).toMatchObject({ type: "observation", data: { reward: null, done: false } });
    expect(JSON.stringify(listed)).toContain('"name":"add"');
    expect(await send({ type: "step", data: { tool_name: "add" } })).toEqual({
      type: "error",
      data: { code: "EXECUTION_ERROR", message: "No episode is open on this connection. Send a reset first." },
    });
    expect(subject.episodes.size).toBe(0);
  });

  test("takes the spelling of the RFC, and an action without its type", async () => {
    const { send } = await openSocket(await serve(counter()));
    await send({ type: "reset" });
    const step = (data: object) => send({ type: "step", data });
    expect(await step({ tool_name: "add", parameters: { by: 3 } })).toMatchObject({ data: { reward: 3 } });
    expect(await step({ tool_name: "add" })).toMatchObject({ data: { reward: 1 } });
  });

  test("a typed action is the input of its tool, and is answered with what can be seen", async () => {
    const { send } = await openSocket(await serve(typed()));
    await send({ type: "reset" });
    const step = (data: object) => send({ type: "step", data });
    expect(await step({ column: 3, metadata: { from: "trl" } })).toMatchObject({
      data: { observation: { column: 3 }, reward: 3, done: false },
    });
    expect(await step({ column: 9 })).toMatchObject({
      type: "error",
      data: { code: "VALIDATION_ERROR", errors: [{ loc: ["column"] }] },
    });
    expect(await step({ column: 1, row: 2 })).toMatchObject({ data: { code: "VALIDATION_ERROR" } });
    expect(await step({ column: 6 })).toMatchObject({
      type: "error",
      data: { code: "EXECUTION_ERROR", message: "That column is full" },
    });
    expect(await step({ tool_name: "drop", arguments: { column: 2 } })).toMatchObject({
      data: { observation: { tool_name: "drop" } },
    });
  });

  test.each([
    ["tool_not_found", { tool_name: "nope" }],
    ["invalid_args", { tool_name: "add", arguments: { by: "two" } }],
    ["execution_error", { tool_name: "spoil" }],
    ["timeout", { tool_name: "hang" }],
  ])("a call that fails is an observation with %s", async (error_type, action) => {
    const { send } = await openSocket(await serve(counter()));
    await send({ type: "reset" });
    expect(await send({ type: "step", data: { type: "call_tool", ...action } })).toMatchObject({
      type: "observation",
      data: {
        observation: { result: null, error: { error_type, message: expect.any(String) } },
        reward: null,
        done: false,
      },
    });
  });

  test.each([
    ["text that is no JSON", "{", "INVALID_JSON"],
    ["an unknown type", { type: "nonsense" }, "UNKNOWN_TYPE"],
    ["no type", {}, "UNKNOWN_TYPE"],
    ["a step without an action", { type: "step" }, "VALIDATION_ERROR"],
    ["a key that is not known", { type: "state", foo: 1 }, "VALIDATION_ERROR"],
    ["an action with such a key", { type: "step", data: { tool_name: "add", foo: 1 } }, "VALIDATION_ERROR"],
    ["an action that is a list", { type: "step", data: [] }, "VALIDATION_ERROR"],
    ["a seed that is none", { type: "reset", data: { seed: -1 } }, "EXECUTION_ERROR"],
  ])("%s is an error frame, and the socket stays", async (_, frame, code) => {
    const { send } = await openSocket(await serve(counter()));
    await send({ type: "reset" });
    expect(await send(frame)).toMatchObject({ type: "error", data: { code } });
    expect(await send({ type: "reset" })).toMatchObject({ type: "observation" });
  });

  test("answers in order, however many frames come at once", async () => {
    const { socket, next } = await openSocket(await serve(counter()));
    socket.send(JSON.stringify({ type: "reset", data: { config: { goal: 99 } } }));
    for (let at = 0; at < 20; at++)
      socket.send(JSON.stringify({ type: "step", data: { tool_name: at % 3 === 0 ? "wait" : "add" } }));
    await next();
    const counts: unknown[] = [];
    for (let at = 0; at < 20; at++) counts.push(((await next()).data["metadata"] as { step_count: number }).step_count);
    expect(counts).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
  });

  test("sockets are apart from each other, and free their place when they close", async () => {
    const subject = counter({ maxEpisodes: 2 });
    const url = await serve(subject);
    const [first, second] = [await openSocket(url), await openSocket(url)];
    await first.send({ type: "reset", data: {} });
    await second.send({ type: "reset", data: {} });
    await first.send({ type: "step", data: { tool_name: "add" } });
    expect(await second.send({ type: "state" })).toMatchObject({ data: { step_count: 0 } });
    const third = await openSocket(url);
    expect(await third.next()).toMatchObject({
      type: "error",
      data: { code: "CAPACITY_REACHED", active_sessions: 2, max_sessions: 2 },
    });
    expect((await third.closed)[0]).toBe(1000);
    first.socket.send('{"type":"close"}');
    expect((await first.closed)[0]).toBe(1000);
    await expect.poll(() => subject.episodes.size).toBe(1);
  });

  test("a config that is refused leaves the episode as it is, and the next reset is free of it", async () => {
    const { send } = await openSocket(await serve(counter()));
    await send({ type: "reset" });
    expect(await send({ type: "reset", data: { goal: 0 } })).toMatchObject({ type: "error" });
    expect(await send({ type: "step", data: { tool_name: "add" } })).toMatchObject({ data: { reward: 1 } });
    expect(await send({ type: "reset", data: { goal: "x" } })).toMatchObject({ type: "error" });
    expect(await send({ type: "state" })).toMatchObject({ data: { step_count: 1 } });
    expect(await send({ type: "step", data: { tool_name: "add" } })).toMatchObject({ data: { reward: 1 } });
    expect(await send({ type: "reset" })).toMatchObject({ type: "observation" });
  });

  test("a reset without a config has the default one, whatever the last reset had", async () => {
    const { send } = await openSocket(await serve(counter()));
    const step = async () => (await send({ type: "step", data: { tool_name: "add" } })).data["done"];
    await send({ type: "reset", data: { goal: 1 } });
    expect(await step()).toBe(true);
    await send({ type: "reset", data: {} });
    expect(await step()).toBe(false);
  });

  test("an episode that a trainer ended elsewhere is closed here too", async () => {
    const url = await serve(counter());
    const { send } = await openSocket(url);
    await send({ type: "reset" });
    const { episodes } = (await (await fetch(`${url}/control/episodes`)).json()) as { episodes: [{ id: string }] };
    await fetch(`${url}/control/episodes/${episodes[0].id}`, { method: "DELETE" });
    expect(await send({ type: "step", data: { tool_name: "add" } })).toMatchObject({
      data: { observation: { error: { message: expect.stringContaining("was closed") } } },
    });
    expect(await send({ type: "reset" })).toMatchObject({ type: "observation" });
  });

  test("a JSON-RPC message in a frame is plain MCP, in the socket's own episode", async () => {
    const { send } = await openSocket(await serve(counter()));
    await send({ type: "reset", data: {} });
    const mcp = (method: string, params: object) =>
      send({ type: "mcp", data: { jsonrpc: "2.0", id: 1, method, params } });
    expect(await mcp("tools/list", {})).toMatchObject({ type: "mcp", data: { result: { tools: expect.any(Array) } } });
    expect(await mcp("tools/call", { name: "add", arguments: { by: 2 } })).toMatchObject({
      data: { result: { structuredContent: { count: 2 } } },
    });
    expect(await send({ type: "state" })).toMatchObject({ data: { step_count: 1 } });
  });
});

describe("sessions made over /mcp", () => {
  test("are used by their id, and a socket can attach to one", async () => {
    const url = await serve(counter());
    const call = async (method: string, params: Record<string, unknown>) =>
      (await post(url, "/mcp", rpc(method, params))).body;
    const { result } = (await call("openenv/session/create", {})) as { result: { session_id: string } };
    const { session_id } = result;
    expect(await call("tools/call", { name: "add", arguments: { by: 2 }, session_id })).toMatchObject({
      result: { data: { count: 2 }, structured_content: { count: 2 }, is_error: false },
    });
    expect(await call("tools/call", { name: "nope", session_id })).toMatchObject({ error: { code: -32602 } });
    expect(await call("tools/call", { name: "spoil", session_id })).toMatchObject({
      error: { code: -32603, message: "Spoiled" },
    });

    const attached = await openSocket(url, `/ws?session_id=${session_id}`);
    expect(await attached.send({ type: "state" })).toMatchObject({ data: { step_count: 1 } });
    const second = await openSocket(url, `/ws?session_id=${session_id}`);
    expect(await second.next()).toMatchObject({ type: "error", data: { code: "SESSION_ERROR" } });
    expect(await call("openenv/session/close", { session_id })).toMatchObject({
      result: { closed: false, closing: true },
    });
    attached.socket.close();
    await attached.closed;
    await expect.poll(async () => (await call("tools/list", { session_id }))["error"]).toMatchObject({ code: -32602 });
  });
});

describe("the session of a socket", () => {
  test("is what openenv/session/create returns in a frame of /ws", async () => {
    const url = await serve(counter());
    const { send, socket, closed } = await openSocket(url);
    const create = { type: "mcp", data: rpc("openenv/session/create", {}) };
    const { data } = await send(create);
    const { session_id } = data["result"] as { session_id: string };
    expect((await send(create)).data).toEqual(data);

    const call = async (method: string, params: object) =>
      (await post(url, "/mcp", rpc(method, { ...params, session_id }))).body;
    expect(await call("tools/call", { name: "add", arguments: { by: 2 } })).toMatchObject({
      result: { data: { count: 2 } },
    });
    expect(await send({ type: "state" })).toMatchObject({ data: { step_count: 1 } });
    expect(await call("openenv/session/close", {})).toMatchObject({
      error: { code: -32600, message: "Cannot close active WebSocket-managed session via MCP method" },
    });
    socket.close();
    await closed;
    await expect.poll(async () => (await call("tools/list", {}))["error"]).toMatchObject({ code: -32602 });
  });

  test("is the one that the socket attached to", async () => {
    const url = await serve(counter());
    const { body } = await post(url, "/mcp", rpc("openenv/session/create", {}));
    const { session_id } = body["result"] as { session_id: string };
    const { send } = await openSocket(url, `/ws?session_id=${session_id}`);
    expect(await send({ type: "mcp", data: rpc("openenv/session/create", {}) })).toMatchObject({
      data: { result: { session_id } },
    });
  });

  test("is the same in bare JSON-RPC over a WebSocket of /mcp", async () => {
    const subject = counter();
    const url = await serve(subject);
    const { send } = await openSocket(url, "/mcp");
    const ask = async (method: string, params: object) =>
      (await send(rpc(method, { ...params }))) as unknown as { result: Record<string, unknown> };
    const { result } = await ask("openenv/session/create", {});
    expect((await ask("openenv/session/create", {})).result).toEqual(result);
    await ask("tools/call", { name: "add", arguments: {} });
    const { session_id } = result;
    const { body } = await post(url, "/mcp", rpc("tools/call", { name: "add", arguments: {}, session_id }));
    expect(body).toMatchObject({ result: { data: { count: 2 } } });
    expect(subject.episodes.size).toBe(1);
  });
});

test("an abandoned session ends", async () => {
  const subject = counter({ idleMs: 40 });
  const url = await serve(subject);
  await post(url, "/mcp", rpc("openenv/session/create", {}));
  expect(subject.episodes.size).toBe(1);
  await expect.poll(() => subject.episodes.size).toBe(0);
});

describe("over HTTP", () => {
  const json = async (response: Response) => ({
    status: response.status,
    body: (await response.json()) as Record<string, unknown>,
  });
  const send = async (url: string, body: object, headers = {}) =>
    json(await fetch(url, { method: "POST", body: JSON.stringify(body), headers }));

  test("an episode continues for any caller that names it", async () => {
    const url = await serve(counter());
    const response = await fetch(`${url}/reset`, { method: "POST", body: '{"seed":1}' });
    const id = response.headers.get("x-episode-id") ?? "";
    expect((await response.json()) as object).toMatchObject({
      observation: { count: 0 },
      metadata: { episode_id: id },
    });
    const action = { tool_name: "add" };
    expect(await send(`${url}/step`, { action, episode_id: id })).toMatchObject({ body: { reward: 1 } });
    expect(await send(`${url}/step?episode_id=${id}`, { action })).toMatchObject({
      body: { metadata: { step_count: 2 } },
    });
    expect(await send(`${url}/step`, { action }, { "x-episode-id": id })).toMatchObject({
      body: { metadata: { step_count: 3 } },
    });
    expect(await json(await fetch(`${url}/state?episode_id=${id}`))).toMatchObject({ body: { step_count: 3 } });
    expect(await send(`${url}/step`, { action, episode_id: "other" })).toMatchObject({ status: 404 });
  });

  test("a name that the client gives its episode works as well", async () => {
    const url = await serve(counter());
    await send(`${url}/reset`, { episode_id: "mine" });
    expect(await send(`${url}/step`, { action: { tool_name: "add" }, episode_id: "mine" })).toMatchObject({
      body: { reward: 1 },
    });
    await send(`${url}/reset`, { episode_id: "mine" });
    expect(await json(await fetch(`${url}/state?episode_id=mine`))).toMatchObject({ body: { step_count: 0 } });
  });

  test.each([
    ["/reset", { seed: -1 }, 422, { detail: [{ type: "greater_than_equal", loc: ["body", "seed"] }] }],
    ["/step", {}, 422, { detail: [{ type: "missing", loc: ["body", "action"] }] }],
    ["/step", { action: {} }, 422, { detail: [{ type: "missing", loc: ["tool_name"] }] }],
  ])("%s of %o is answered with %i", async (path, body, status, answer) => {
    expect(await send((await serve(counter())) + path, body)).toMatchObject({ status, body: answer });
  });

  test("describes itself as OpenEnv's own validation wants it", async () => {
    const url = await serve(counter());
    const get = async (path: string) => (await json(await fetch(url + path))).body;
    expect(await get("/health")).toEqual({ status: "healthy" });
    expect(await get("/metadata")).toMatchObject({ name: "counter", description: "Count up to a goal" });
    const { action } = (await get("/schema")) as { action: { properties: object } };
    expect(Object.keys(action.properties)).toEqual(expect.arrayContaining(["tool_name", "arguments"]));
    const { info, paths } = (await get("/openapi.json")) as { info: { version: string }; paths: object };
    expect(info.version).toMatch(/^1\./);
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(["/reset", "/step", "/state"]));
    expect((await post(url, "/mcp", {})).body).toMatchObject({ jsonrpc: "2.0" });
  });

  test.each([
    ["grid-world", "GridWorldAction"],
    ["call-tool", "TypedCallToolAction"],
  ])("the typed action of %s has a title that no client takes for a tool call", async (name, title) => {
    const input = { type: "object", properties: { to: { type: "string" } }, required: ["to"] } as const;
    const url = await serve(
      environment({
        name,
        start: () => ({}),
        observe: () => ({}),
        action: "go",
        tools: (tool) => ({ go: tool({ input, run: () => "went" }) }),
      }),
    );
    const { body } = await json(await fetch(`${url}/schema`));
    expect(body).toMatchObject({ action: { title }, reset_observation: { title: "ResetObservation", type: "object" } });
  });

  test("a split of a name that trainers do not know is for validation", async () => {
    const url = await serve(
      environment({
        name: "rows",
        start: () => ({}),
        observe: () => ({}),
        tools: (tool) => ({ go: tool({ run: () => "went" }) }),
        tasks: { train: [], holdout: [], validation: [] },
      }),
    );
    expect((await json(await fetch(`${url}/rows/splits`))).body).toEqual([
      { name: "train", type: "train" },
      { name: "holdout", type: "validation" },
      { name: "validation", type: "validation" },
    ]);
  });

  test("lists its tasks", async () => {
    const url = await serve(counter());
    expect(await json(await fetch(`${url}/list_environments`))).toMatchObject({ body: ["counter"] });
    expect(await json(await fetch(`${url}/counter/splits`))).toMatchObject({
      body: [
        { name: "train", type: "train" },
        { name: "test", type: "test" },
      ],
    });
    expect(await send(`${url}/counter/num_tasks`, { split: "train" })).toMatchObject({ body: { num_tasks: 2 } });
    expect(await send(`${url}/counter/task`, { split: "train", index: 1 })).toMatchObject({
      body: { task: { id: "long" } },
    });
    expect(await send(`${url}/counter/task_range`, { split: "train", start: 0, stop: 1 })).toMatchObject({
      body: { tasks: [{ id: "short" }] },
    });
    expect(await send(`${url}/counter/task`, { split: "train", index: 9 })).toMatchObject({ status: 400 });
    expect(await send(`${url}/counter/tasks`, { split: "nope" })).toMatchObject({ status: 400 });
    expect((await fetch(`${url}/other/splits`)).status).toBe(404);
    expect((await fetch(`${await serve(typed())}/typed/splits`)).status).toBe(501);
  });
});

test("where callers are authenticated, a trainer endpoint wants a trainer", async () => {
  const authenticate: ServeOptions["authenticate"] = ({ headers }) =>
    headers.authorization === "trainer"
      ? { kind: "trainer", id: "t", scopes: [] }
      : { kind: "token", id: "agent", scopes: [] };
  const url = await serve(counter(), { authenticate });
  expect((await fetch(`${url}/state`)).status).toBe(403);
  expect((await fetch(`${url}/state`, { headers: { authorization: "trainer" } })).status).toBe(200);
  expect((await fetch(`${url}/mcp/capabilities`)).status).toBe(200);
});
