// The official SDK v2: `2026` is its stateless handler, `2025` a transport per session with event streams (its default),
// and `2025-json` the same with plain JSON responses.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node";
import { McpServer, createMcpHandler } from "@modelcontextprotocol/server";
import { z } from "zod";
import { listen } from "./control.mjs";

const [, , mode = "2026", count = "1"] = process.argv;
const inputSchema = z.object({ a: z.number(), b: z.number() });
const names = ["add", ...Array.from({ length: Number(count) - 1 }, (_, at) => `add_${at + 1}`)];

const add = ({ a, b }) => {
  const structuredContent = { sum: a + b };
  return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
};

function makeServer() {
  const server = new McpServer({ name: "bench", version: "1.0.0" });
  for (const name of names) server.registerTool(name, { description: "Adds two numbers", inputSchema }, add);
  return server;
}

async function openSession() {
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    enableJsonResponse: mode === "2025-json",
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  await makeServer().connect(transport);
  return transport;
}

const sessions = new Map();
const serveSession = async (request, response) => {
  const transport = sessions.get(request.headers["mcp-session-id"]) ?? (await openSession());
  await transport.handleRequest(request, response);
};

listen(createServer(mode === "2026" ? toNodeHandler(createMcpHandler(makeServer)) : serveSession));
