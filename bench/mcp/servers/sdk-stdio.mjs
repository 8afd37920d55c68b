// The official SDK v2 over stdio, with three tools that have `zod` or `json` schemas.
import { McpServer, fromJsonSchema } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const inputSchema = await (process.argv[2] === "zod" ? zodFields() : jsonFields());

serveStdio(() => {
  const server = new McpServer({ name: "bench", version: "1.0.0" });
  server.registerTool("add", { description: "Adds", inputSchema }, ({ a, b }) => show({ sum: a + b }));
  server.registerTool("multiply", { description: "Multiplies", inputSchema }, ({ a, b }) => show({ product: a * b }));
  server.registerTool("divide", { description: "Divides", inputSchema }, ({ a, b }) => show({ quotient: a / b }));
  return server;
});

function show(structuredContent) {
  return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
}

async function zodFields() {
  const { z } = await import("zod");
  return z.object({ a: z.number(), b: z.number() });
}

function jsonFields() {
  return fromJsonSchema({
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  });
}
