import { createInterface } from "node:readline";

/**
 * An MCP server of the older era that is not well: now and then it dies, says nothing, or talks nonsense. How sick it is
 * comes in its first argument, from 0 to 1.
 */
const sickness = Number(process.argv[2] ?? 0);

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === "tools/call" && Math.random() < sickness) return misbehave();
  const result = resultOf(method, params);
  const answer = result ? { result } : { error: { code: -32601, message: "unknown" } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
});

function resultOf(method, params) {
  switch (method) {
    case "initialize":
      return { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "sick", version: "1" } };
    case "ping":
      return {};
    case "tools/list":
      return { tools: [{ name: "work", inputSchema: { type: "object" }, annotations: { readOnlyHint: false } }] };
    case "tools/call":
      return { content: [{ type: "text", text: `done ${JSON.stringify(params?.["arguments"])}` }] };
    default:
      return undefined;
  }
}

function misbehave() {
  const way = Math.floor(Math.random() * 4);
  if (way === 0) process.exit(1);
  if (way === 1) process.kill(process.pid, "SIGKILL");
  if (way === 2)
    process.stdout.write('junk { "jsonrpc": nonsense \u0000\n[]\n{"jsonrpc":"2.0","id":999999,"result":1}\n');
  // Otherwise no response, so the caller waits.
}
