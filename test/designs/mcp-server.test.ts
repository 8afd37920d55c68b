import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { allow, deny, server, tool } from "biplane";
import type { AgentContext, Server } from "biplane";

const CustomerRequest = z.object({ customer_id: z.string() });
const CustomerResponse = z.object({ customer_id: z.string(), status: z.string() });

/** The RFC's example server, with a tool for each of its error codes. */
function customers(): Server {
  const gateway = server({
    name: "customer-mcp",
    version: "1.0.0",
    tools: [
      tool({
        name: "get_customer",
        input: CustomerRequest,
        output: CustomerResponse,
        run: ({ customer_id }) => ({ customer_id, status: "active" }),
      }),
      tool({ name: "delete_customer", run: () => "deleted" }),
      tool({
        name: "break_customer",
        run: () => {
          throw new Error("It broke");
        },
      }),
      tool({ name: "slow_customer", timeoutMs: 20, run: () => new Promise(() => undefined) }),
      tool({ name: "whoami", run: (_, { agent }) => agent }),
      tool({ name: "see_call", run: (_, call) => inspect(call, { depth: 10, showHidden: true }) }),
    ],
  });
  return gateway.policy((_agent, name) => (name === "delete_customer" ? deny("Blocked in prod") : allow()));
}

const get = { customer_id: "42" };
const codes: [code: string, tool: string, input: object][] = [
  ["INVALID_INPUT", "get_customer", {}],
  ["TOOL_NOT_FOUND", "get_nobody", {}],
  ["POLICY_DENIED", "delete_customer", {}],
  ["EXECUTION_ERROR", "break_customer", {}],
  ["TIMEOUT", "slow_customer", {}],
];

describe("RFC-0001 over HTTP", () => {
  const gateway = customers();
  let url = "";
  beforeAll(async () => void ({ url } = await gateway.serve("http://127.0.0.1:0")));
  afterAll(() => gateway.close());

  const execute = async (body: object) => {
    const response = await fetch(`${url}/mcp/execute`, { method: "POST", body: JSON.stringify(body) });
    return (await response.json()) as Record<string, unknown>;
  };

  test("GET /mcp/capabilities returns server, version and the metadata of each tool", async () => {
    const body = (await (await fetch(`${url}/mcp/capabilities`)).json()) as { tools: object[] };
    expect(body).toMatchObject({ server: "customer-mcp", version: "1.0.0", tools: expect.any(Array) });
    expect(body.tools[0]).toEqual({
      name: "get_customer",
      description: null,
      input_schema: expect.objectContaining({ properties: { customer_id: { type: "string" } } }),
      output_schema: expect.objectContaining({ required: ["customer_id", "status"] }),
      timeout_ms: expect.any(Number),
      idempotent: expect.any(Boolean),
    });
  });

  test("POST /mcp/execute takes tool and arguments", async () => {
    const body = { tool: "get_customer", arguments: get };
    expect(await execute(body)).toMatchObject({ result: { customer_id: "42", status: "active" } });
  });

  test("an error is a code and a message, and no more", async () => {
    expect(await execute({ tool: "delete_customer", arguments: {} })).toEqual({
      error: "POLICY_DENIED",
      message: "Blocked in prod",
    });
  });

  test.each(codes)("%s answers the call of %s", async (code, name, input) => {
    expect(await execute({ tool: name, arguments: input })).toEqual({ error: code, message: expect.any(String) });
  });

  test("a tool sees neither headers nor the request", async () => {
    const headers = { "x-session": "hunter2-hunter2" };
    const body = JSON.stringify({ tool: "see_call", arguments: {}, agent: { agent_id: "a-1" } });
    const seen = await (await fetch(`${url}/mcp/execute`, { method: "POST", headers, body })).text();
    expect(seen).toContain("a-1");
    expect(seen).not.toContain("hunter2-hunter2");
  });

  test("a tool receives the agent context: agent_id, model, request_id and metadata", async () => {
    const agent = { agent_id: "a-1", model: "m-1", request_id: "r-1", metadata: { team: "blue" } };
    expect(await execute({ tool: "whoami", arguments: {}, agent })).toMatchObject({
      result: { agentId: "a-1", model: "m-1", requestId: "r-1", metadata: { team: "blue" } },
    });
  });
});

describe("RFC-0001 in process", () => {
  test("a policy gets agent context, tool name and arguments; the first denial ends the evaluation", async () => {
    const asked: [AgentContext, string, unknown][] = [];
    const gateway = customers();
    gateway.policy((agent, name, args) => {
      asked.push([agent, name, args]);
      return allow();
    });
    await gateway.call("get_customer", get, { agent: { agentId: "a-1" } });
    await expect(gateway.call("delete_customer")).rejects.toMatchObject({ code: "POLICY_DENIED" });
    expect(asked).toEqual([[expect.objectContaining({ agentId: "a-1" }), "get_customer", get]]);
  });

  test("each call fires the start hook and then one of the end and error hooks", async () => {
    const fired: string[] = [];
    const gateway = customers();
    gateway.watch({
      onStart: ({ tool: name }) => fired.push(`start ${name}`),
      onEnd: ({ tool: name }) => fired.push(`end ${name}`),
      onError: ({ tool: name, error }) => fired.push(`${error.code} ${name}`),
    });
    await gateway.call("get_customer", get);
    for (const [, name, input] of codes) await gateway.call(name, input).catch(() => undefined);
    expect(fired).toEqual([
      "start get_customer",
      "end get_customer",
      ...codes.flatMap(([code, name]) => [`start ${name}`, `${code} ${name}`]),
    ]);
  });

  test("tools may be synchronous, and asynchronous as well", async () => {
    const both = server({
      name: "both",
      tools: {
        now: tool({ run: () => "now" }),
        later: tool({ run: async () => Promise.resolve("later") }),
      },
    });
    expect([await both.call("now"), await both.call("later")]).toEqual(["now", "later"]);
  });

  test("what a tool returns must fit its output schema", async () => {
    const broken = tool({ name: "x", output: CustomerResponse, run: () => ({ customer_id: "1" }) as never });
    await expect(server({ name: "s", tools: [broken] }).call("x")).rejects.toMatchObject({ code: "EXECUTION_ERROR" });
  });

  test("two servers of one process share nothing", async () => {
    const [one, other] = [customers(), server({ name: "other" })];
    await one.call("get_customer", get);
    await expect(other.call("get_customer", get)).rejects.toMatchObject({ code: "TOOL_NOT_FOUND" });
  });

  test("the defaults are 30 seconds and not idempotent, not 1 second and idempotent", () => {
    expect(tool({ name: "x", run: () => 1 })).toMatchObject({ timeoutMs: 30_000, idempotent: false });
  });
});
