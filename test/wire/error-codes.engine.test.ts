import { Server as McpServer, createMcpHandler } from "@modelcontextprotocol/server";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { BiplaneError, allow, ask, deny, server, tool } from "biplane";
import { openStore } from "biplane/store";
import type { ErrorCode, Server, ServerOptions } from "biplane";
import { connect, readToolError, remoteServer, toolsOf } from "biplane/client";
import type { ToolResult } from "biplane/client";
import type { AuditEntry } from "../../packages/core/src/call/audit.ts";
import { openApprovals } from "../../packages/biplane/src/governance/approvals/approvals.ts";
import { decisionOf } from "../../packages/biplane/src/governance/audit/decision.ts";
import { fixture } from "../support/fixture.ts";
import { wires } from "../support/official.ts";

/** Codes that a tool throws. The others are made by the pipeline. */
const thrown: readonly ErrorCode[] = [
  "UNAUTHORIZED",
  "APPROVAL_REJECTED",
  "RATE_LIMITED",
  "EXECUTION_ERROR",
  "EPISODE_ENDED",
  "CAPACITY",
  "NOT_SUPPORTED",
  "INTERNAL",
];

/** What a caller must learn of each failure. */
const expected: Readonly<Record<string, { code: ErrorCode; details?: object }>> = {
  ...Object.fromEntries(thrown.map((code) => [`throws_${code.toLowerCase()}`, { code, details: { retryAfterMs: 7 } }])),
  forbidden: { code: "POLICY_DENIED" },
  slow: { code: "TIMEOUT" },
  asks: { code: "APPROVAL_PENDING", details: { approval: { id: expect.any(String) as string, status: "pending" } } },
  strict: { code: "INVALID_INPUT" },
  nowhere: { code: "TOOL_NOT_FOUND" },
};
type Json = Record<string, unknown>;

const output = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] } as const;

/** A server with a tool for each failure. Every tool promises a structured result. */
async function failing(options: Partial<ServerOptions> = {}): Promise<Server> {
  const approvals = openApprovals({ store: await openStore(":memory:") });
  const named = (name: string, run: () => never) => tool({ name, output, run });
  const sum = () => ({ sum: 3 });
  return server({
    name: "failing",
    version: "1",
    limits: false,
    approver: approvals,
    policies: [(_, name) => (name === "forbidden" ? deny("never") : name === "asks" ? ask("May I?") : allow())],
    tools: [
      ...thrown.map((code) =>
        named(`throws_${code.toLowerCase()}`, () => {
          throw new BiplaneError(code, `failed with ${code}`, { details: { retryAfterMs: 7, secret: "stays here" } });
        }),
      ),
      tool({ name: "forbidden", output, run: sum }),
      tool({ name: "asks", output, run: sum }),
      tool({ name: "strict", output, run: sum }),
      tool({ name: "slow", output, timeoutMs: 5, run: () => new Promise<never>(() => undefined) }),
    ],
    onFault: () => undefined,
    ...options,
  });
}

const ways: Readonly<Record<string, (subject: Server) => Promise<string | Server>>> = {
  memory: async (subject) => subject,
  HTTP: async (subject) => `${(await subject.serve("http://127.0.0.1:0")).url}/mcp`,
  WebSocket: async (subject) => `${(await subject.serve("ws://127.0.0.1:0")).url}/mcp`,
};
const everyWay = Object.keys(ways).flatMap((way) =>
  (["legacy", "modern"] as const).map((era) => ({ name: `${way}, ${era}`, way, era })),
);

describe.each(everyWay)("over $name", ({ way, era }) => {
  const open = (subject: Server) => (ways[way] as (subject: Server) => Promise<string | Server>)(subject);

  test("a client restores the code of every failure", async () => {
    await using subject = await failing();
    await using client = await connect(await open(subject), { era, tasks: false });
    expect(await allFailures((name, input) => failureOf(client.callTool(name, input)))).toMatchObject(expected);
  });

  test("a gateway passes on the code of every failure of a server that it mounts", async () => {
    await using subject = await failing();
    await using gateway = server({ name: "gateway", version: "1", limits: false });
    await using mounted = await remoteServer(await open(subject), { era, checkInput: false });
    gateway.mount("failing", mounted);
    await using client = await connect(gateway, { era, tasks: false });
    expect(await allFailures((name, input) => failureOf(client.callTool(name, input)))).toMatchObject(expected);
    const call = (name: string, input: Json) => gateway.call(name, input, { patienceMs: 0 }) as Promise<never>;
    expect(await allFailures((name, input) => failureOf(call(name, input)))).toMatchObject(expected);
  });
});

test("only what a client can act on crosses the wire", async () => {
  await using subject = await failing();
  await using client = await connect(subject);
  const { _meta: meta } = await client.callTool("throws_execution_error");
  expect(meta).toMatchObject({ "dev.biplane/error": { code: "EXECUTION_ERROR", retryAfterMs: 7 } });
  expect(JSON.stringify(meta)).not.toContain("stays here");
});

test("a mounted tool that runs only as a task answers callers without tasks, and is a task to the others", async () => {
  const later = tool({ name: "later", task: "required", run: async () => "done" });
  await using subject = server({ name: "tasks", version: "1", limits: false, tools: [later] });
  const { url } = await subject.serve("http://127.0.0.1:0");
  await using gateway = server({ name: "gateway", version: "1", limits: false });
  await gateway.mount("tasks", `${url}/mcp`);
  await using plain = await connect(gateway, { era: "legacy" });
  expect(await plain.callTool("later")).toMatchObject({ content: [{ text: "done" }] });
  await using client = await connect(gateway, { era: "modern" });
  const states: unknown[] = [];
  const result = await client.callTool("later", {}, { onTask: ({ status }) => states.push(status) });
  expect(result).toMatchObject({ content: [{ text: "done" }] });
  expect(states.at(-1)).toBe("completed");
});

test("a failed task keeps its code", async () => {
  await using subject = server({
    name: "tasks",
    version: "1",
    tools: [
      tool({
        name: "later",
        task: "required",
        run: () => {
          throw new BiplaneError("EPISODE_ENDED", "over");
        },
      }),
    ],
  });
  await using client = await connect(subject, { era: "modern", tasks: true });
  expect(readToolError(await client.callTool("later"))).toMatchObject({ code: "EPISODE_ENDED", message: "over" });
});

test("a denial for want of a scope has its code and reason, though HTTP answers 403", async () => {
  const authenticate = Object.assign(() => ({ kind: "token" as const, id: "a", scopes: [] }), {
    resource: { resource: "https://a.test/mcp", authorizationServers: [], requiredScopes: [], scopes: [] },
  });
  await using subject = await failing({ policies: [() => deny("crm:read is needed", { scopes: ["crm:read"] })] });
  const { url } = await subject.serve({ url: "http://127.0.0.1:0", authenticate });
  await using client = await connect(`${url}/mcp`, { bearer: "any" });
  const error = readToolError(await client.callTool("strict"));
  expect(error).toMatchObject({ code: "POLICY_DENIED", message: "crm:read is needed" });
});

describe.each(wires.filter(({ transport }) => transport === "http"))("a host built on $name", (wire) => {
  test("reads that a call waits for approval, and gets the structured result afterwards", async () => {
    const approvals = openApprovals({ store: await openStore(":memory:"), pollMs: 5 });
    await using subject = await failing({ approver: approvals });
    const { url } = await subject.serve("http://127.0.0.1:0");
    await using host = await wire.connect(`${url}/mcp`);
    await host.client.listTools(); // the client now checks results against the output schema
    const first = await host.call("asks");
    expect(first).toMatchObject({
      isError: true,
      content: [{ type: "text", text: expect.stringContaining("May I?") as string }],
    });
    expect(first).not.toHaveProperty("structuredContent");
    const [waiting] = await approvals.list({ status: "waiting" });
    await approvals.answer([waiting?.id ?? ""], { verdict: "approve" }, { kind: "person", id: "ada", scopes: [] });
    expect(await host.call("asks")).toMatchObject({ structuredContent: { sum: 3 } });
  });

  test("reads every failure of a tool with an output schema", async () => {
    await using subject = await failing();
    const { url } = await subject.serve("http://127.0.0.1:0");
    await using host = await wire.connect(`${url}/mcp`);
    await host.client.listTools();
    const names = ["forbidden", "slow", "throws_execution_error", "throws_episode_ended"];
    const results = await Promise.all(names.map((name) => host.call(name)));
    expect(results).toEqual(names.map(() => expect.objectContaining({ isError: true }) as unknown));
  });
});

describe("a mounted server of another make", () => {
  test("may send structured content with an error, which stops at the mount", async () => {
    await using other = await foreign(() => ({
      content: [{ type: "text", text: "no luck" }],
      structuredContent: { why: "unknown to the schema" },
      isError: true,
    }));
    await using gateway = server({ name: "gateway", version: "1", limits: false });
    await gateway.mount("other", other.url);
    await using client = await connect(gateway);
    const result = await client.callTool("act");
    expect(result).toMatchObject({ isError: true, content: [{ text: "no luck" }] });
    expect(result).not.toHaveProperty("structuredContent");
    expect(readToolError(result)).toMatchObject({ code: "EXECUTION_ERROR", message: "no luck" });
  });

  test.each(["POLICY_DENIED", "RATE_LIMITED", "APPROVAL_PENDING"])(
    "cannot hide a call from the audit log by claiming %s",
    async (code) => {
      await using other = await foreign(() => ({
        content: [{ type: "text", text: "nothing happened" }],
        isError: true,
        _meta: { "dev.biplane/error": { code } },
      }));
      const entries: AuditEntry[] = [];
      const audit = { record: (entry: AuditEntry) => void entries.push(entry) };
      await using gateway = server({ name: "gateway", version: "1", limits: false, audit });
      await gateway.mount("other", other.url);
      await expect(gateway.call("act", { x: 1 })).rejects.toMatchObject({ code });
      expect(entries).toMatchObject([{ tool: "act", input: { x: 1 }, outcome: code, ran: true }]);
      expect(decisionOf(entries[0] as AuditEntry)).toBe("allowed");
    },
  );

  test.each([{ code: "CANCELLED" }, { code: "MADE_UP" }, { code: 7 }, "POLICY_DENIED", null])(
    "is believed only the codes that a server may send, not %j",
    async (error) => {
      await using other = await foreign(() => ({
        content: [{ type: "text", text: "no" }],
        isError: true,
        _meta: { "dev.biplane/error": error },
      }));
      await using gateway = server({ name: "gateway", version: "1", limits: false });
      await gateway.mount("other", other.url);
      await expect(gateway.call("act", {})).rejects.toMatchObject({ code: "EXECUTION_ERROR", message: "no" });
    },
  );
});

test("the in-process tool source of a model returns the code too", async () => {
  const result = await toolsOf(fixture()).callTool("refuse", {});
  expect(readToolError(result)).toMatchObject({ code: "RATE_LIMITED", message: "slow down" });
});

/** The outcome of each call of `expected`. */
async function allFailures(call: (name: string, input: Json) => Promise<unknown>): Promise<Json> {
  const seen: Json = {};
  for (const name of Object.keys(expected)) seen[name] = await call(name, name === "strict" ? { nonsense: true } : {});
  return seen;
}

/** The error of a failed call, whether it is a result or thrown. */
async function failureOf(call: Promise<ToolResult>): Promise<unknown> {
  try {
    return readToolError(await call);
  } catch (error) {
    return error;
  }
}

/** A server made with the official SDK. Its tool `act` answers what `answer` gives. */
async function foreign(answer: () => object): Promise<AsyncDisposable & { readonly url: string }> {
  const inputSchema = { type: "object", properties: { x: { type: "number" } } };
  const outputSchema = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] };
  const handler = toNodeHandler(
    createMcpHandler(() => {
      const made = new McpServer({ name: "other", version: "1" }, { capabilities: { tools: {} } });
      made.setRequestHandler("tools/list", () => ({ tools: [{ name: "act", inputSchema, outputSchema }] }) as never);
      made.setRequestHandler("tools/call", () => answer() as never);
      return made;
    }),
  );
  const http = createServer((request, response) => void handler(request as Parameters<typeof handler>[0], response));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
