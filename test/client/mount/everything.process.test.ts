import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { server } from "biplane";
import type { Server } from "biplane";
import type { Client } from "../../../packages/core/src/client/client.ts";
import { connect } from "biplane/client";
import type { ConnectOptions } from "../../../packages/core/src/client/options.ts";
import type { ToolResult } from "../../../packages/core/src/client/results.ts";
import { everything, everythingOverHttp } from "./everything.ts";

type Ask = (client: Client) => Promise<unknown>;

const call =
  (name: string, input: Record<string, unknown> = {}): Ask =>
  (client) =>
    client.callTool(name, input);

/** What the server can do, asked once directly and once through a mount. */
const features: Readonly<Record<string, Ask>> = {
  "its tools": (client) => client.listTools(),
  "its resources": (client) => client.listResources(),
  "its templates": (client) => client.listResourceTemplates(),
  "its prompts": (client) => client.listPrompts(),
  text: call("echo", { message: "hello" }),
  "a sum": call("get-sum", { a: 2, b: 3 }),
  "wrong arguments": call("get-sum", { a: "two" }),
  "a picture": call("get-tiny-image"),
  annotations: call("get-annotated-message", { messageType: "debug", includeImage: true }),
  "structured content": async (client) => {
    const { structuredContent } = (await call("get-structured-content", { location: "Chicago" })(client)) as ToolResult;
    return Object.keys(structuredContent as object);
  },
  "links to resources": call("get-resource-links", { count: 3 }),
  "an embedded resource": call("get-resource-reference", { resourceType: "Text", resourceId: 2 }),
  "a static resource": (client) => client.readResource("demo://resource/static/document/features.md"),
  "a text by template": (client) => client.readResource("demo://resource/dynamic/text/7"),
  "bytes by template": async (client) => {
    const { contents } = await client.readResource("demo://resource/dynamic/blob/7");
    return Buffer.from(String(contents[0]?.blob), "base64").toString();
  },
  "a prompt": (client) => client.getPrompt("simple-prompt"),
  "a prompt with arguments": (client) => client.getPrompt("args-prompt", { city: "Paris", state: "Texas" }),
  "a prompt with a resource": (client) =>
    client.getPrompt("resource-prompt", { resourceType: "Text", resourceId: "1" }),
  "completion of a prompt's argument": (client) =>
    client.complete({ prompt: "completable-prompt" }, { name: "department", value: "E" }),
  "completion that depends on another argument": (client) =>
    client.complete(
      { prompt: "completable-prompt" },
      { name: "name", value: "" },
      { context: { department: "Engineering" } },
    ),
  "completion of a template": (client) =>
    client.complete({ template: "demo://resource/dynamic/text/{resourceId}" }, { name: "resourceId", value: "1" }),
  progress: async (client) => {
    const told: unknown[] = [];
    const onProgress = ({ progress, total }: { progress: number; total?: number }) => void told.push([progress, total]);
    const input = { duration: 0.2, steps: 4 };
    const result = await client.callTool("trigger-long-running-operation", input, { onProgress });
    return { told, result };
  },
  elicitation: call("trigger-elicitation-request"),
  sampling: call("trigger-sampling-request", { prompt: "Say something", maxTokens: 10 }),
  cancellation: async (client) => {
    const stop = new AbortController();
    const input = { duration: 60, steps: 60 };
    const running = client.callTool("trigger-long-running-operation", input, { signal: stop.signal });
    stop.abort();
    return running.catch((error: { code: string }) => error.code);
  },
};

const options: ConnectOptions = {
  clientInfo: { name: "test", version: "1" },
  answers: {
    form: () => ({ action: "accept", content: { name: "Ada", check: true } }),
    link: () => ({ action: "accept" }),
    sample: () => ({ role: "assistant", content: { type: "text", text: "Something" }, model: "m" }),
    roots: [{ uri: "file:///tmp", name: "tmp" }],
  },
};

describe.each(["stdio", "HTTP"])("the reference server over %s, mounted", (transport) => {
  let direct: Client;
  let gateway: Server;
  let web: Awaited<ReturnType<typeof everythingOverHttp>> | undefined;
  const proxied: Record<string, Client> = {};

  beforeAll(async () => {
    web = transport === "HTTP" ? await everythingOverHttp() : undefined;
    const target = web?.url ?? everything;
    direct = await connect(target, options);
    gateway = server({ name: "gateway", version: "1", limits: false, onFault: () => undefined });
    await gateway.mount("everything", target, { checkInput: false });
    const { url } = await gateway.serve("http://127.0.0.1:0");
    proxied["2025-11-25"] = await connect(`${url}/mcp`, { ...options, era: "legacy" });
    proxied["2026-07-28"] = await connect(`${url}/mcp`, { ...options, era: "modern" });
  }, 30_000);

  afterAll(async () => {
    await Promise.all([direct, ...Object.values(proxied)].map((client) => client.close()));
    await gateway.close();
    await web?.[Symbol.asyncDispose]();
  });

  describe.each(["2025-11-25", "2026-07-28"])("and asked in %s", (era) => {
    test.each(Object.entries(features))("gives %s as it does directly", async (_, ask) => {
      const expected = plain(await ask(direct));
      expect(plain(await ask(proxied[era] as Client))).toEqual(expected);
    });
  });

  test("notifies about a subscribed resource", async () => {
    const client = proxied["2025-11-25"] as Client;
    const uri = "demo://resource/dynamic/text/1";
    const updated = new Promise<unknown>((resolve) => {
      void client.onChange((change) => typeof change === "object" && resolve(change.resource));
    });
    await client.subscribe(uri);
    await client.callTool("toggle-subscriber-updates");
    expect(await updated).toBe(uri);
    await client.callTool("toggle-subscriber-updates");
  });
});

/** Without what differs from one second, or one era, to the next. */
function plain(value: unknown): unknown {
  const text = JSON.stringify(value, (key, inner: unknown) => {
    if (["_meta", "resultType", "ttlMs", "cacheScope"].includes(key)) return undefined;
    return typeof inner === "string" ? inner.replaceAll(/\d{1,2}:\d\d:\d\d [AP]M/g, "now") : inner;
  });
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
}
