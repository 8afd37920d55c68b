// mcp-lite: `session` or `stateless`.
import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { InMemorySessionAdapter, McpServer, StreamableHttpTransport } from "mcp-lite";
import { z } from "zod";
import { listen } from "./control.mjs";

const server = new McpServer({ name: "bench", version: "1.0.0", schemaAdapter: (schema) => z.toJSONSchema(schema) });
server.tool("add", {
  description: "Adds two numbers",
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  handler: ({ a, b }) => {
    const structuredContent = { sum: a + b };
    return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
  },
});
const sessions = { sessionAdapter: new InMemorySessionAdapter({ maxEventBufferSize: 1024 }) };
const transport = new StreamableHttpTransport(process.argv[2] === "session" ? sessions : {});

listen(createServer(getRequestListener(transport.bind(server))));
