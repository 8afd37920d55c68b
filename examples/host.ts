import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { server, tool } from "biplane";
import { startHost } from "biplane/host";

const folder = await mkdtemp(join(tmpdir(), "biplane-host-"));
const add = tool({
  name: "add",
  description: "Add two numbers",
  input: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
  run: ({ a, b }) => a + b,
});

// Everything that `biplane serve` gives: policies, approvals, audit, every endpoint, the admin page.
const host = await startHost({
  serve: [server({ name: "calculator", tools: [add] })],
  folder,
  settings: { listen: "http://127.0.0.1:0", store: join(folder, "biplane.db"), "logging.level": "error" },
});

const body = JSON.stringify({ tool: "add", arguments: { a: 1, b: 2 } });
const response = await fetch(`${host.url}/mcp/execute`, { method: "POST", body });
const { result } = (await response.json()) as { result: unknown };
console.log("the call answers", JSON.stringify(result));
console.log("the page answers", (await fetch(host.url)).status);
console.log("the API answers without login", (await fetch(`${host.url}/api/overview`)).status);
console.log("an administrator can be created:", (await host.setupCode()) !== undefined);
await host.close();
await rm(folder, { recursive: true });

// prints:
// the call answers 3
// the page answers 200
// the API answers without login 401
// an administrator can be created: true
