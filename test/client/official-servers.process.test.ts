import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { Server as NodeServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { McpServer, createMcpHandler, inputRequired } from "@modelcontextprotocol/server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { connect } from "biplane/client";
import type { Client } from "../../packages/core/src/client/client.ts";
import { within } from "../support/within.ts";

const example = "../../node_modules/@modelcontextprotocol/server-everything/dist/index.js";
const everything = fileURLToPath(new URL(example, import.meta.url));

const answers = {
  form: () => ({ action: "decline" as const }),
  sample: () => ({ role: "assistant" as const, content: { type: "text", text: "a sample" }, model: "none" }),
  roots: [{ uri: "file:///somewhere", name: "somewhere" }],
};

describe.each(["stdio", "streamableHttp", "sse"] as const)("the official example server over %s", (transport) => {
  let client: Client;
  let stop: () => void = () => undefined;
  beforeAll(async () => {
    const served = transport === "stdio" ? undefined : await serveEverything(transport);
    stop = served?.stop ?? stop;
    client = await connect(served?.url ?? { command: process.execPath, args: [everything] }, { answers });
  });
  afterAll(async () => {
    stop(); // first, so that it goes even where nobody could connect to it
    await client.close();
  });

  test("is met in the older era", () => {
    expect(client.era).toBe("legacy");
    expect(client.serverInfo["name"]).toContain("everything");
  });

  test("shows and runs its tools", async () => {
    const names = (await client.listTools()).map(({ name }) => name);
    expect(names).toContain("get-sum");
    const sum = await client.callTool("get-sum", { a: 2, b: 3 });
    expect(sum).toMatchObject({ content: [{ text: expect.stringContaining("5") as string }] });
  });

  test("reports progress and asks our model", async () => {
    const progress: number[] = [];
    const input = { duration: 0.2, steps: 2 };
    const onProgress = (each: { progress: number }) => progress.push(each.progress);
    await client.callTool("trigger-long-running-operation", input, { onProgress });
    expect(progress).toEqual([1, 2]);
    const sampled = await client.callTool("trigger-sampling-request", { prompt: "hello", maxTokens: 10 });
    expect(JSON.stringify(sampled.content)).toContain("a sample");
  });

  test("shows its resources and prompts", async () => {
    const [first] = await client.listResources();
    const { contents } = await client.readResource(first?.uri ?? "");
    expect(contents).toHaveLength(1);
    expect((await client.listPrompts()).length).toBeGreaterThan(0);
    expect((await client.getPrompt("simple-prompt")).messages).toHaveLength(1);
  });
});

describe("the official SDK's server of the newer era", () => {
  let client: Client;
  let http: NodeServer;
  beforeAll(async () => {
    const handler = toNodeHandler(createMcpHandler(theirs));
    http = createServer((request, response) => void handler(request as Parameters<typeof handler>[0], response));
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
    client = await connect(url, { answers: { form: () => ({ action: "accept", content: { name: "Ada" } }) } });
  });
  afterAll(async () => {
    await client.close();
    http.closeAllConnections();
    http.close();
  });

  test("is met in the newer era, and its tools run", async () => {
    expect(client.era).toBe("modern");
    expect(await client.callTool("echo", { text: "héllo" })).toMatchObject({ content: [{ text: "héllo" }] });
  });

  test("gets its questions answered", async () => {
    expect(await client.callTool("greet")).toMatchObject({ content: [{ text: "Hello, Ada" }] });
  });

  test("gets the headers that its tools want", async () => {
    await client.listTools();
    const result = await client.callTool("route", { region: "Köln " });
    expect(result).toMatchObject({ content: [{ text: "Köln " }] });
  });

  test("gets them even where its tools were never listed", async () => {
    await using other = await connect(String((http.address() as AddressInfo).port).replace(/^/, "http://127.0.0.1:"));
    expect(await other.callTool("route", { region: "west" })).toMatchObject({ content: [{ text: "west" }] });
  });
});

function theirs(): McpServer {
  const gateway = new McpServer({ name: "theirs", version: "1" });
  const text = (said: string) => ({ content: [{ type: "text" as const, text: said }] });
  gateway.registerTool("echo", { inputSchema: z.object({ text: z.string() }) }, ({ text: said }) => text(said));
  const region = z.string().meta({ "x-mcp-header": "Region" });
  gateway.registerTool("route", { inputSchema: z.object({ region }) }, (input) => text(input.region));
  gateway.registerTool("greet", {}, (context) => {
    const given = context.mcpReq.inputResponses?.["who"] as { content?: { name?: string } } | undefined;
    if (given) return text(`Hello, ${given.content?.name}`);
    const requestedSchema = { type: "object" as const, properties: { name: { type: "string" as const } } };
    return inputRequired({ inputRequests: { who: inputRequired.elicit({ message: "Who?", requestedSchema }) } });
  });
  return gateway;
}

async function serveEverything(transport: "streamableHttp" | "sse"): Promise<{ url: string; stop: () => void }> {
  const port = await freePort();
  const env = { ...process.env, PORT: String(port) };
  const child = spawn(process.execPath, [everything, transport], { env, stdio: ["ignore", "ignore", "pipe"] });
  const listening = new Promise<void>((resolve) => {
    createInterface(child.stderr).on("line", (line) => line.includes(String(port)) && resolve());
  });
  await within(30_000, "the start of the example server", listening);
  return { url: `http://127.0.0.1:${port}/${transport === "sse" ? "sse" : "mcp"}`, stop: () => child.kill() };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
