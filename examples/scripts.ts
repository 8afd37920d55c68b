import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { server } from "biplane";
import { openApprovals } from "biplane/admin";
import { scriptPack } from "biplane/packs";
import { sqliteStore } from "biplane/sqlite";

// Stands in for the weather service, so that this runs anywhere.
const service = createServer((_, response) => {
  const current = { temp_c: 15.5, condition: { text: "Cloudy" } };
  response.end(JSON.stringify({ location: { name: "London" }, current }));
});
await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
const address = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;

const store = sqliteStore(":memory:");
const approvals = openApprovals({ store });
const scripts = scriptPack({
  root: fileURLToPath(new URL("./scripts", import.meta.url)),
  secrets: (name) => (name === "WEATHER_API_KEY" ? "a-key-nobody-sees" : undefined),
  allow: ["127.0.0.1"],
});
const house = server({ name: "house", version: "1.0.0", packs: [scripts], approver: approvals, store });

const call = () =>
  house.call("script_run", { name: "weather", function: "get_weather", args: ["London", address] }, { patienceMs: 0 });

await call().catch((error: Error) => console.log(error.message.split(" Ask again")[0]));

// A person looks at what was asked about, and says yes to exactly these bytes.
const [asked] = await approvals.list({ status: "waiting" });
const ada = { kind: "person", id: "ada", scopes: [] } as const;
if (asked) await approvals.answer([asked.id], { verdict: "approve", hold: { kind: "always", for: "everyone" } }, ada);

const { value } = (await call()) as { value: unknown };
console.log(JSON.stringify(value));

await house.close();
await approvals.close();
await store.close();
service.close();

// prints:
// Approval is needed: Script 'weather.star' is pending approval. An administrator must review and approve this script before it can be executed.
// {"city":"London","temp_c":15.5,"condition":"Cloudy"}
