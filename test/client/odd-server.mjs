// A process with odd manners, by its first argument, for clients to get along with. It speaks the older era by hand.
import { createInterface } from "node:readline";
import { writeFileSync } from "node:fs";
import { spawn } from "node:child_process";

const [manner = "", file = ""] = process.argv.slice(2);
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

if (manner === "dies") {
  process.stderr.write("first line\nthe key is missing\n");
  process.exit(3);
}
if (manner === "chatty") process.stdout.write("Welcome!\nStarting up...\n");
if (manner === "family") {
  // A grandchild that holds on to nothing of ours, and the process itself, both deaf to all but the last signal.
  const deaf = "process.on('SIGTERM', () => 0); setInterval(() => 0, 1000)";
  const child = spawn(process.execPath, ["-e", deaf], { stdio: "ignore" });
  process.on("SIGTERM", () => undefined);
  setInterval(() => undefined, 1000);
  writeFileSync(file, JSON.stringify([process.pid, child.pid]));
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === "server/discover" && manner === "strict") process.exit(1);
  if (method === "initialize") {
    const serverInfo = { name: "odd", version: String(process.pid), motto: "keep me" };
    return say({ id, result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo } });
  }
  if (method === "tools/list") {
    const annotations = { readOnlyHint: true };
    return say({ id, result: { tools: [{ name: "look", annotations, extra: { kept: true } }, { name: "pay" }] } });
  }
  if (method === "tools/call" && manner === "mortal" && params?.name !== "rest") process.kill(process.pid, "SIGKILL");
  if (method === "tools/call") return say({ id, result: { content: [{ type: "text", text: String(process.pid) }] } });
  return say({ id, error: { code: -32601, message: "Method not found" } });
});
