// tmcp. Serves both protocol versions at one address.
import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { ZodJsonSchemaAdapter } from "@tmcp/adapter-zod";
import { HttpTransport } from "@tmcp/transport-http";
import { McpServer } from "tmcp";
import { z } from "zod";
import { listen } from "./control.mjs";

const server = new McpServer(
  { name: "bench", version: "1.0.0", description: "A server to be measured" },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {} } },
);
server.tool(
  { name: "add", description: "Adds two numbers", schema: z.object({ a: z.number(), b: z.number() }) },
  ({ a, b }) => {
    const structuredContent = { sum: a + b };
    return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
  },
);
const transport = new HttpTransport(server, { path: "/mcp" });

listen(createServer(getRequestListener((request) => transport.respond(request))));
