// fastmcp with plain JSON responses: `session` or `stateless`.
import { FastMCP } from "fastmcp";
import { z } from "zod";
import { freePort, ready } from "./control.mjs";

const silence = () => undefined;
const logger = { debug: silence, error: silence, info: silence, log: silence, warn: silence };
const server = new FastMCP({ name: "bench", version: "1.0.0", logger });
server.addTool({
  name: "add",
  description: "Adds two numbers",
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: async ({ a, b }) => {
    const structuredContent = { sum: a + b };
    return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
  },
});

const port = await freePort();
const stateless = process.argv[2] === "stateless";
await server.start({
  transportType: "httpStream",
  httpStream: { port, host: "127.0.0.1", endpoint: "/mcp", enableJsonResponse: true, stateless },
});
ready(port);
