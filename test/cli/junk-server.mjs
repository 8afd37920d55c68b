// Says what no server should say on standard output, then serves, or dies.
process.stdout.write("Starting up \u001B[31mloudly\u001B[0m\n");
if (process.argv[2] === "dies") {
  process.stderr.write("no \u001B[2Jlicence\n");
  process.exit(7);
}
process.stdin.setEncoding("utf8");
let rest = "";
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) continue;
    const results = {
      initialize: () => ({
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "junk", version: "1" },
      }),
      "tools/list": () => ({ tools: [{ name: "ping", inputSchema: { type: "object" } }] }),
      "tools/call": () => ({ content: [{ type: "text", text: "pong" }] }),
    };
    const result = results[method]?.();
    const answer = result ? { result } : { error: { code: -32601, message: "Method not found" } };
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
  }
});
