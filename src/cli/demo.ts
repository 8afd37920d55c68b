import { resolve } from "node:path";
import { defineCommand } from "citty";
import type { Server } from "../server/server.ts";
import { demoServer } from "./demo-server.ts";
import { listenUntilStopped } from "./listen.ts";

/** `biplane demo`: a governed server to try things on, and a line for every call it gets. */
export const demo = defineCommand({
  meta: {
    name: "demo",
    description: "Serve a small demo: a customer desk with tools, a resource, a prompt and a policy",
  },
  args: {
    url: { type: "string", description: "http://host:port, ws://host:port or stdio", default: "http://127.0.0.1:8000" },
    stdio: { type: "boolean", description: "The same as --url stdio", default: false },
  },
  run: async ({ args }) => {
    const server = watched(demoServer());
    const url = args.stdio ? "stdio" : args.url;
    await listenUntilStopped({
      url,
      listen: () => server.serve(url),
      close: () => server.close(),
      welcome: (address) => welcome(server, address),
    });
  },
});

/** Tells on standard error what happens. */
function watched(server: Server): Server {
  const line = (who: string, what: string, how: string) =>
    process.stderr.write(`${new Date().toISOString().slice(11, 19)}  ${who}  ${what}  ${how}\n`);
  return server.watch({
    onEnd: ({ tool, agent, status, durationMs }) =>
      line(agent.agentId, tool, `${status} in ${durationMs.toFixed(1)} ms`),
    onError: ({ tool, agent, error }) => line(agent.agentId, tool, `${error.code}: ${error.message}`),
  });
}

function welcome(server: Server, url: string): string {
  const program = resolve(process.argv[1] ?? "biplane");
  const config = { mcpServers: { "biplane-demo": { command: "node", args: [program, "demo", "--stdio"] } } };
  return `
  ${server.name} is up.

  MCP, both eras, and plain JSON-RPC   ${url}/mcp
  MCP over WebSocket                   ${url.replace("http", "ws")}/mcp
  REST                                 ${url}/mcp/capabilities, ${url}/mcp/execute

  Try a call:

    curl -s ${url}/mcp/execute -d '{"tool":"get_customer","arguments":{"customerId":"ada"}}'

  One that a policy refuses:

    curl -s ${url}/mcp/execute -d '{"tool":"refund_customer","arguments":{"customerId":"ada","amount":500}}'

  For a desktop host (Claude Desktop, Cursor, VS Code …), in its MCP settings:

${indent(JSON.stringify(config, undefined, 2))}

  Each call is shown below. Stop with Ctrl-C.
`;
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, "    ");
}
