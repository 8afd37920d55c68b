import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { server } from "biplane";
import { openApprovals } from "biplane/governance";
import { scriptPack } from "biplane/packs";
import { openStore } from "biplane/store";

// A local substitute for the weather service.
const service = createServer((_, response) => {
  const current = { temp_c: 15.5, condition: { text: "Cloudy" } };
  response.end(JSON.stringify({ location: { name: "London" }, current }));
});
await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
const address = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;

const store = await openStore(":memory:");
const approvals = openApprovals({ store });
const scripts = scriptPack({
  root: fileURLToPath(new URL("./scripts", import.meta.url)),
  secrets: (name) => (name === "WEATHER_API_KEY" ? "a-key-nobody-sees" : undefined),
  allow: ["127.0.0.1"],
});
const tools = server({ name: "tools", version: "1.0.0", packs: [scripts], approver: approvals, store });

const call = () =>
  tools.call("script_run", { name: "weather", function: "get_weather", args: ["London", address] }, { patienceMs: 0 });

await call().catch((error: Error) => console.log(error.message.split(" Call again")[0]));

// A person reviews the request and approves exactly this content.
const [request] = await approvals.list({ status: "waiting" });
const ada = { kind: "person", id: "ada", scopes: [] } as const;
if (request)
  await approvals.answer([request.id], { verdict: "approve", scope: { kind: "always", for: "everyone" } }, ada);

const { value } = (await call()) as { value: unknown };
console.log(JSON.stringify(value));

await tools.close();
await approvals.close();
await store.close();
service.close();

// prints:
// Script 'weather.star' is pending approval. An administrator must review and approve this script before it can be executed.
// {"city":"London","temp_c":15.5,"condition":"Cloudy"}
