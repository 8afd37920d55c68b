import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { McpServer, createMcpHandler } from "@modelcontextprotocol/server";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { prompt, resource, server, tool } from "biplane";
import { z } from "zod";

/**
 * The same things served by us and by the official SDK, and the same random messages of 2026-07-28 sent to both: they
 * must agree on what is a result, what is an error, and which.
 */
const soak = process.env["BIPLANE_SOAK"] === "1";
const input = z.object({ a: z.number(), b: z.number() });
const ours = server({
  name: "same",
  version: "1.0.0",
  limits: false,
  tools: { add: tool({ description: "Adds", input, run: ({ a, b }) => String(a + b) }) },
  resources: [resource({ name: "note", uri: "note://one", mimeType: "text/plain", read: () => "A note" })],
  prompts: [
    prompt({
      name: "hello",
      description: "Greets",
      arguments: { who: { required: true } },
      get: ({ who }) => `Hello ${who}`,
    }),
  ],
});

function theirs(): McpServer {
  const made = new McpServer({ name: "same", version: "1.0.0" });
  made.registerTool("add", { description: "Adds", inputSchema: input }, ({ a, b }) => ({
    content: [{ type: "text", text: String(a + b) }],
  }));
  made.registerResource("note", "note://one", { mimeType: "text/plain" }, () => ({
    contents: [{ uri: "note://one", mimeType: "text/plain", text: "A note" }],
  }));
  made.registerPrompt("hello", { description: "Greets", argsSchema: z.object({ who: z.string() }) }, ({ who }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Hello ${who}` } }],
  }));
  return made;
}

const handler = toNodeHandler(createMcpHandler(theirs, { legacy: "reject" }));
const sdk = createServer((request, response) => void handler(request as Parameters<typeof handler>[0], response));
const urls: string[] = [];
beforeAll(async () => {
  urls.push(`${(await ours.serve("http://127.0.0.1:0")).url}/mcp`);
  await new Promise<void>((resolve) => sdk.listen(0, "127.0.0.1", resolve));
  urls.push(`http://127.0.0.1:${(sdk.address() as AddressInfo).port}/mcp`);
});
afterAll(async () => {
  await ours.close();
  sdk.closeAllConnections();
  sdk.close();
});

const odd = fc.oneof(
  fc.constant(undefined),
  fc.constant(null),
  fc.integer(),
  fc.string(),
  fc.constant([]),
  fc.constant({}),
);
const mostly = <T>(value: fc.Arbitrary<T>) => fc.oneof({ arbitrary: value, weight: 8 }, { arbitrary: odd, weight: 1 });
const version = mostly(fc.constant("2026-07-28"));
const meta = mostly(
  fc.record({
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientCapabilities": mostly(fc.constant({})),
    "io.modelcontextprotocol/clientInfo": fc.constant({ name: "fuzz", version: "1" }),
  }),
);
const methods = fc.constantFrom(
  "tools/list",
  "tools/call",
  "resources/list",
  "resources/read",
  "resources/templates/list",
  "prompts/list",
  "prompts/get",
  "server/discover",
  "ping",
  "no/such",
);
const params = fc.record({
  _meta: meta,
  name: fc.constantFrom("add", "hello", "nonsense"),
  uri: fc.constantFrom("note://one", "note://two"),
  arguments: fc.record(
    { a: mostly(fc.integer()), b: mostly(fc.integer()), who: fc.constant("you") },
    { requiredKeys: [] },
  ),
});
const mirrored = fc.record({ version, method: fc.boolean(), name: fc.boolean() });

test("they agree", async () => {
  await fc.assert(
    fc.asyncProperty(methods, params, mirrored, async (method, given, headers) => {
      const relevant = trim(method, given);
      // We serve a request without the era's metadata as one of the older era; the SDK is configured to refuse it.
      fc.pre(headers.version === "2026-07-28" || isOfThisEra(given));
      const message = { jsonrpc: "2.0", id: 7, method, params: relevant };
      const name = relevant["name"] ?? relevant["uri"];
      const sent = {
        ...(typeof headers.version === "string" &&
          /^[\x20-\x7e]+$/.test(headers.version) && { "mcp-protocol-version": headers.version }),
        ...(headers.method && { "mcp-method": method }),
        ...(headers.name && typeof name === "string" && { "mcp-name": name }),
      };
      const [mine, reference] = await Promise.all(urls.map((url) => verdict(url, message, sent)));
      expect(mine).toEqual(reference);
    }),
    { numRuns: soak ? 5000 : 300 },
  );
}, 120_000);

function isOfThisEra({ _meta }: { _meta?: unknown }): boolean {
  return (
    typeof _meta === "object" &&
    _meta !== null &&
    "io.modelcontextprotocol/protocolVersion" in JSON.parse(JSON.stringify(_meta))
  );
}

/** Only what belongs to a method, so that the two differ in nothing but how they serve it. */
function trim(method: string, { _meta, name, uri, arguments: all }: Record<string, unknown>): Record<string, unknown> {
  const base = _meta === undefined ? {} : { _meta };
  const { a, b, who } = all as Record<string, unknown>;
  if (method === "tools/call") return { ...base, name, arguments: { a, b } };
  if (method === "prompts/get") return { ...base, name, arguments: { who } };
  return method === "resources/read" ? { ...base, uri } : base;
}

/** The outcome of an answer, without its message. */
async function verdict(url: string, message: object, headers: Record<string, string>): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    body: JSON.stringify(message),
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
  });
  const text = await response.text();
  const body = JSON.parse(text.startsWith("event:") ? (/^data: (.*)$/m.exec(text)?.[1] ?? "null") : text) as {
    error?: { code: number };
    result?: { isError?: boolean; content?: unknown; contents?: unknown; messages?: unknown };
  };
  // What is malformed within params is -32602 with us, and with the SDK -32600 where it is _meta itself.
  if (body.error) return { error: body.error.code === -32600 ? -32602 : body.error.code, status: response.status };
  const { isError = false, content, contents, messages } = body.result ?? {};
  return { isError, content: isError ? "some" : content, contents, messages };
}
