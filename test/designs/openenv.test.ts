import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { environment, prompt, resource, server, tool } from "biplane";
import type { Environment } from "biplane";
import { connect, foreignEnvironment } from "biplane/client";
import { gallery } from "@biplane/gallery";
import { openSocket } from "../wire/openenv/socket.ts";

/** The tools that the examples of RFC 003 use. */
function research(): Environment {
  return environment({
    name: "research",
    version: "1.0.0",
    start: () => ({ calls: 0 }),
    observe: ({ calls }) => ({ calls }),
    tools: (tool) => ({
      search_web: tool({
        description: "Search the web for information",
        input: {
          type: "object",
          properties: { query: { type: "string" }, max_results: { type: "integer", default: 5 } },
          required: ["query"],
        },
        run: ({ query, max_results: count = 5 }, { state }) => {
          state.calls++;
          return { results: Array.from({ length: count }, (_, at) => `${query} ${at + 1}`) };
        },
      }),
      read_text_file: tool({
        description: "Read a file as text",
        input: {
          type: "object",
          properties: { path: { type: "string" }, head: { type: "integer" } },
          required: ["path"],
        },
        run: ({ path, head }, { state }) => {
          state.calls++;
          return `${path} ${head}`;
        },
      }),
    }),
    reward: ({ after }) => after.calls,
  });
}

const results = [1, 2, 3, 4, 5].map((at) => `python patterns ${at}`);

describe("RFC 003, over HTTP", () => {
  const subject = research();
  let url = "";
  beforeAll(async () => void ({ url } = await subject.serve("http://127.0.0.1:0")));
  afterAll(() => subject.close());

  /** `POST http://localhost:8000<path>` with a JSON body, as the RFC writes it. */
  const POST = async (path: string, body: string) => {
    const response = await fetch(url + path, { method: "POST", body, headers: { "content-type": "application/json" } });
    return { type: response.headers.get("content-type"), body: (await response.json()) as Record<string, unknown> };
  };

  test("POST /reset begins an episode", async () => {
    expect((await POST("/reset", "{}")).body).toMatchObject({ observation: { calls: 0 }, done: false });
  });

  test("POST /step with an action answers with observation and reward", async () => {
    const { body } = await POST(
      "/step",
      '{"action": {"tool_name": "search_web", "parameters": {"query": "python patterns", "max_results": 5}}}',
    );
    expect(body).toMatchObject({ observation: { tool_name: "search_web", error: null }, reward: 1, done: false });
  });

  test("POST /mcp with tools/list answers one JSON message in the RFC's format", async () => {
    const { type, body } = await POST("/mcp", '{"jsonrpc": "2.0", "method": "tools/list", "id": 1}');
    expect(type).toBe("application/json");
    expect(body).toMatchObject({
      jsonrpc: "2.0",
      result: {
        tools: expect.arrayContaining([
          {
            name: "search_web",
            description: "Search the web for information",
            inputSchema: {
              type: "object",
              properties: { query: { type: "string" }, max_results: { type: "integer", default: 5 } },
              required: ["query"],
              additionalProperties: false,
            },
          },
        ]),
      },
      id: 1,
    });
  });
});

describe("RFC 003, env.step over the socket", () => {
  const subject = research();
  let step: (action: object) => Promise<{ type: string; data: Record<string, unknown> }>;
  beforeAll(async () => {
    const { url } = await subject.serve("http://127.0.0.1:0");
    const { send } = await openSocket(url);
    await send({ type: "reset" });
    step = (action) => send({ type: "step", data: action });
  });
  afterAll(() => subject.close());

  test("ListToolsAction has no parameters, is there without being written, and does not end the episode", async () => {
    const { data } = await step({ type: "list_tools" });
    expect(data).toMatchObject({
      done: false,
      observation: { tools: [{ name: "search_web" }, { name: "read_text_file" }] },
    });
  });

  test("CallToolAction takes tool_name and parameters, and its result holds what the tool returned", async () => {
    const action = { tool_name: "search_web", parameters: { query: "python patterns", max_results: 5 } };
    const { data } = await step({ type: "call_tool", ...action });
    expect(data).toMatchObject({ observation: { result: { data: { results } } }, done: false });
  });

  test("a tool that is not there is named in an observation", async () => {
    const { data } = await step({ tool_name: "fly", parameters: {} });
    expect(data).toMatchObject({
      observation: { error: { error_type: "tool_not_found", message: expect.stringContaining("fly") } },
      done: false,
    });
  });

  test("one call is one step", async () => {
    const before = ((await step({ type: "list_tools" })).data["metadata"] as { step_count: number }).step_count;
    const { data } = await step({ tool_name: "search_web", parameters: { query: "a" } });
    expect(data["metadata"]).toMatchObject({ step_count: before + 1 });
  });
});

describe("RFC 003's local server", () => {
  function fibonacci(n: number): number {
    if (n <= 1) return n;
    return fibonacci(n - 1) + fibonacci(n - 2);
  }
  const local = () =>
    server({
      name: "myserver",
      tools: {
        fibonacci: tool({
          input: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
          run: ({ n }) => fibonacci(n),
        }),
      },
    });

  test("a function becomes a tool of MCP, and stays a function of the process", async () => {
    const myserver = local();
    expect(await myserver.call("fibonacci", { n: 10 })).toBe(55);
    await using client = await connect(myserver);
    expect((await client.callTool("fibonacci", { n: 10 })).content).toEqual([{ type: "text", text: "55" }]);
  });

  test("child servers are registered with one parent, which delegates to them", async () => {
    const child = (name: string) =>
      server({ name, tools: { [`${name}_look`]: tool({ run: () => `${name} was asked` }) } });
    const parent = server({ name: "parent" });
    for (const name of ["filesystem", "git", "browser"]) parent.mount(name, child(name));
    await using client = await connect(parent);
    expect((await client.listTools()).map(({ name }) => name)).toEqual(["filesystem_look", "git_look", "browser_look"]);
    expect((await client.callTool("git_look")).content).toEqual([{ type: "text", text: "git was asked" }]);
  });
});

test("an environment of MCP server addresses lists the tools of all and calls the one that has the tool", async () => {
  const child = (name: string) => server({ name, tools: { [`${name}_do`]: tool({ run: () => ({ done_by: name }) }) } });
  await using one = child("one");
  await using two = child("two");
  const [first, second] = await Promise.all([one, two].map((each) => each.serve("http://127.0.0.1:0")));
  const servers = { one: { url: `${first?.url}/mcp` }, two: { url: `${second?.url}/mcp` } };
  await using subject = await foreignEnvironment({ name: "both", servers });
  const { url } = await subject.serve("http://127.0.0.1:0");
  const { send } = await openSocket(url);
  const listed = await send({ type: "step", data: { type: "list_tools" } });
  expect(listed.data).toMatchObject({ done: false, observation: { tools: [{ name: "one_do" }, { name: "two_do" }] } });
  await send({ type: "reset" });
  const called = await send({ type: "step", data: { tool_name: "two_do", parameters: {} } });
  expect(called.data).toMatchObject({ done: false, observation: { result: { data: { done_by: "two" } } } });
});

test("in a board game each move is a tool call", async () => {
  const game = gallery["connect-four"]?.() ?? expect.fail("there is no connect-four");
  const episode = await game.start({ seed: 1 });
  expect(await game.call(episode, "piece_drop", { column: 3 })).toMatchObject({ board: expect.any(Array) });
  await game.close();
});

test("the tools/call message of the RFC's primer is answered by a server", async () => {
  await using subject = server({
    name: "searching",
    tools: {
      search_web: tool({
        input: {
          type: "object",
          properties: { query: { type: "string" }, max_results: { type: "integer", default: 5 } },
          required: ["query"],
        },
        run: () => ({ results }),
      }),
    },
  });
  const { url } = await subject.serve("http://127.0.0.1:0");
  const body = `{
  "jsonrpc": "2.0",
  "method": "tools/call",
  "params": {
    "name": "search_web",
    "arguments": {
      "query": "python patterns",
      "max_results": 5
    }
  },
  "id": 2
}`;
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${url}/mcp`, { method: "POST", headers, body });
  expect(await response.json()).toMatchObject({ jsonrpc: "2.0", id: 2, result: { structuredContent: { results } } });
});

test.each([
  ["resources/list", {}, { resources: [{ uri: "note://one", name: "one" }] }],
  ["resources/read", { uri: "note://one" }, { contents: [{ uri: "note://one", text: "One" }] }],
  ["prompts/list", {}, { prompts: [{ name: "hello" }] }],
  ["prompts/get", { name: "hello" }, { messages: [{ role: "user", content: { type: "text", text: "Say hello" } }] }],
])("%s answers over POST /mcp", async (method, params, result) => {
  await using subject = server({
    name: "secondary",
    resources: [resource({ name: "one", uri: "note://one", read: () => "One" })],
    prompts: [prompt({ name: "hello", get: () => "Say hello" })],
  });
  const { url } = await subject.serve("http://127.0.0.1:0");
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  expect(await response.json()).toMatchObject({ result });
});
