import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

/** A server without tasks whose only tool needs approval, which somebody gives after the first call. */
const server = new Server({ name: "pending", version: "1" }, { capabilities: { tools: {} } });
const approval = { id: "a b", status: "pending" };
let calls = 0;
server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: [{ name: "refund", inputSchema: { type: "object" } }],
}));
server.setRequestHandler(CallToolRequestSchema, () =>
  calls++ === 0
    ? {
        content: [{ type: "text", text: "Error: Approval is needed" }],
        isError: true,
        _meta: { "dev.biplane/error": { code: "APPROVAL_PENDING", approval } },
      }
    : { content: [{ type: "text", text: `refunded at call ${calls}` }] },
);
await server.connect(new StdioServerTransport());
