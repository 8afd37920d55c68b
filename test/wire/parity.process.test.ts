import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { endpoints, modernMeta } from "./endpoints.ts";
import type { Endpoint, Json } from "./endpoints.ts";
import { subject } from "./subject.ts";

/** The expected outcome of a call over every protocol: its result, or its error. */
interface Case {
  readonly title: string;
  readonly tool: string;
  readonly input: Json;
  /** For JSON-RPC endpoints. */
  readonly result?: { content: unknown[]; structured?: unknown; isError?: boolean };
  readonly error?: { code: number; message: string };
  /** For the REST handler. */
  readonly rest: { status: number; body: Json };
}

const said = (text: string) => ({ content: [{ type: "text", text }] });
const failed = (message: string) => ({ ...said(`Error: ${message}`), isError: true });

const cases: readonly Case[] = [
  {
    title: "a value",
    tool: "add",
    input: { a: 1, b: 2 },
    result: { ...said('{"sum":3}'), structured: { sum: 3 } },
    rest: { status: 200, body: { result: { sum: 3 } } },
  },
  { title: "text", tool: "greet", input: {}, result: said("Hello"), rest: { status: 200, body: { result: "Hello" } } },
  {
    title: "content put together by hand",
    tool: "picture",
    input: {},
    result: {
      content: [
        { type: "text", text: "Look:" },
        { type: "image", data: "AAAA", mimeType: "image/png" },
      ],
    },
    rest: {
      status: 200,
      body: {
        result: {
          content: [
            { type: "text", text: "Look:" },
            { type: "image", data: "AAAA", mimeType: "image/png" },
          ],
        },
      },
    },
  },
  {
    title: "nothing",
    tool: "nothing",
    input: {},
    result: { content: [] },
    rest: { status: 200, body: { result: null } },
  },
  {
    title: "wrong arguments",
    tool: "add",
    input: { a: 1, b: "two" },
    result: failed("Invalid arguments for add: /b must be number, got string"),
    rest: {
      status: 400,
      body: { error: "INVALID_INPUT", message: "Invalid arguments for add: /b must be number, got string" },
    },
  },
  {
    title: "unknown arguments",
    tool: "add",
    input: { a: 1, b: 2, c: 3 },
    result: failed("Invalid arguments for add: has unknown property 'c'"),
    rest: {
      status: 400,
      body: { error: "INVALID_INPUT", message: "Invalid arguments for add: has unknown property 'c'" },
    },
  },
  {
    title: "a policy's refusal",
    tool: "forbidden",
    input: {},
    result: failed("Not for you"),
    rest: { status: 403, body: { error: "POLICY_DENIED", message: "Not for you" } },
  },
  {
    title: "a throw",
    tool: "fail",
    input: {},
    result: failed("It broke"),
    rest: { status: 500, body: { error: "EXECUTION_ERROR", message: "It broke" } },
  },
  {
    title: "a late throw",
    tool: "fail_late",
    input: {},
    result: failed("It broke later"),
    rest: { status: 500, body: { error: "EXECUTION_ERROR", message: "It broke later" } },
  },
  {
    title: "an output that misfits its schema",
    tool: "misfit",
    input: {},
    result: failed("misfit returned a value its output schema rejects: must have property 'x'"),
    rest: {
      status: 500,
      body: {
        error: "EXECUTION_ERROR",
        message: "misfit returned a value its output schema rejects: must have property 'x'",
      },
    },
  },
  {
    title: "a timeout",
    tool: "slow",
    input: {},
    result: failed("slow timed out after 30 ms. Raise timeoutMs in its definition if it needs longer."),
    rest: {
      status: 504,
      body: {
        error: "TIMEOUT",
        message: "slow timed out after 30 ms. Raise timeoutMs in its definition if it needs longer.",
      },
    },
  },
  {
    title: "an unknown tool",
    tool: "nonsense",
    input: {},
    error: { code: -32602, message: "Unknown tool: nonsense" },
    rest: { status: 404, body: { error: "TOOL_NOT_FOUND", message: "Unknown tool: nonsense" } },
  },
];

const happened = (handler: { happenings: readonly unknown[] }) =>
  expect
    .poll(() => handler.happenings.length)
    .toBe(cases.length)
    .then(() => JSON.parse(JSON.stringify(handler.happenings)) as unknown);

/** The records of the same calls made from within the process, to hold every wire against. */
const expectedHappenings = (async () => {
  const { server, happenings } = subject();
  for (const { tool, input } of cases) await server.call(tool, input).catch(() => undefined);
  return JSON.parse(JSON.stringify(happenings)) as unknown;
})();

describe.each(Object.entries(endpoints))("over %s", (name, open) => {
  const isModern = name.includes("2026");
  let handler: Endpoint;
  beforeAll(async () => {
    handler = await open();
  });
  afterAll(() => handler[Symbol.asyncDispose]());

  test.each(cases)("$title comes out the same", async ({ tool, input, result, error, rest }) => {
    const answer = await handler.request("tools/call", { name: tool, arguments: input });
    // Whatever a protocol makes of an error, its code is the one that REST tells.
    const told = { "dev.biplane/error": { code: rest.body["error"] } };
    if (error) return expect(answer["error"]).toEqual({ ...error, data: told });
    const { content, structuredContent, isError, resultType, _meta: meta = {} } = answer["result"] as Json;
    expect(meta).toEqual(isError === true ? expect.objectContaining(told) : expect.not.objectContaining(told));
    expect({ content, structured: structuredContent, isError }).toEqual({
      structured: undefined,
      isError: undefined,
      ...result,
    });
    expect(resultType).toBe(isModern ? "complete" : undefined);
  });

  test("every call left the same record", async () => {
    expect(await happened(handler)).toEqual(await expectedHappenings);
  });

  test("a result that is no object is wrapped only for the era that needs it", async () => {
    const answer = await handler.request("tools/call", { name: "list", arguments: {} });
    expect((answer["result"] as Json)["structuredContent"]).toEqual(isModern ? [1, 2, 3] : { result: [1, 2, 3] });
  });

  test("a tool that asks fails for a caller that cannot answer", async () => {
    const answer = await handler.request("tools/call", { name: "ask", arguments: {} });
    if (isModern)
      expect(answer["error"]).toMatchObject({ code: -32021, data: { requiredCapabilities: { elicitation: {} } } });
    else expect((answer["result"] as Json)["isError"]).toBe(true);
  });

  test("resources and prompts can be read", async () => {
    const fixed = await handler.request("resources/read", { uri: "note://fixed" });
    expect((fixed["result"] as Json)["contents"]).toEqual([
      { uri: "note://fixed", mimeType: "text/plain", text: "A note" },
    ]);
    const byId = await handler.request("resources/read", { uri: "note://by-id/7" });
    expect((byId["result"] as Json)["contents"]).toEqual([{ uri: "note://by-id/7", text: "Note 7" }]);
    const prompt = await handler.request("prompts/get", { name: "hello", arguments: { who: "you" } });
    expect((prompt["result"] as Json)["messages"]).toEqual([
      { role: "user", content: { type: "text", text: "Say hello to you" } },
    ]);
  });

  test("a resource that is not there is an error of the era's own", async () => {
    const answer = await handler.request("resources/read", { uri: "note://elsewhere" });
    expect(answer["error"]).toMatchObject({ code: isModern ? -32602 : -32002, data: { uri: "note://elsewhere" } });
  });

  test("a prompt without its argument is refused", async () => {
    const answer = await handler.request("prompts/get", { name: "hello" });
    expect(answer["error"]).toMatchObject({ code: -32602 });
  });

  const meta = isModern ? { _meta: modernMeta() } : {};
  test.each([
    { title: "broken JSON", message: '{"jsonrpc":', code: -32700, id: null },
    { title: "a message that is no object", message: "42", code: -32600, id: null },
    { title: "a message without its version", message: { id: 901, method: "tools/list" }, code: -32600, id: 901 },
    { title: "a method that is no string", message: { jsonrpc: "2.0", id: 902, method: 7 }, code: -32600, id: 902 },
    {
      title: "an id that is an object",
      message: { jsonrpc: "2.0", id: {}, method: "tools/list" },
      code: -32600,
      id: null,
    },
    {
      title: "params that are a list",
      message: { jsonrpc: "2.0", id: 903, method: "tools/list", params: [] },
      code: -32602,
      id: 903,
    },
    {
      title: "an unknown method",
      message: { jsonrpc: "2.0", id: 904, method: "no/such", params: meta },
      code: -32601,
      id: 904,
    },
    {
      title: "a call without a name",
      message: { jsonrpc: "2.0", id: 905, method: "tools/call", params: { ...meta } },
      code: -32602,
      id: 905,
    },
    {
      title: "arguments that are a list",
      message: { jsonrpc: "2.0", id: 906, method: "tools/call", params: { ...meta, name: "add", arguments: [] } },
      code: -32602,
      id: 906,
    },
  ])("$title is answered with $code", async ({ message, code, id }) => {
    const answer = await handler.send(message);
    expect(answer).toMatchObject({ jsonrpc: "2.0", id, error: { code } });
  });

  test("the server still works after all that", async () => {
    const answer = await handler.request("tools/call", { name: "add", arguments: { a: 2, b: 2 } });
    expect((answer["result"] as Json)["structuredContent"]).toEqual({ sum: 4 });
  });
});

describe("over REST", () => {
  const { server, happenings } = subject();
  let url = "";
  beforeAll(async () => {
    ({ url } = await server.serve("http://127.0.0.1:0"));
  });
  afterAll(() => server.close());

  test.each(cases)("$title comes out the same", async ({ tool, input, rest }) => {
    const response = await fetch(`${url}/mcp/execute`, {
      method: "POST",
      body: JSON.stringify({ tool, arguments: input }),
    });
    const { request_id, ...body } = (await response.json()) as Json;
    expect({ status: response.status, body }).toEqual(rest);
    if (response.ok) expect(request_id).toMatch(/^[\w-]{15,}$/);
  });

  test("every call left the same record", async () => {
    expect(await happened({ happenings })).toEqual(await expectedHappenings);
  });
});
