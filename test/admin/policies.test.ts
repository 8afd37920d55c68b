import { expect, test } from "vitest";
import { openGateway } from "./openapi-server.ts";
import type { Json } from "./openapi-server.ts";

test("rules are tried on recorded calls only by people who may view calls", async () => {
  await using gateway = await openGateway();
  const principal = { kind: "token", id: "agent", scopes: [] } as const;
  await gateway.gateway.call("echo", { text: "hi" }, { principal });
  const { json } = await gateway.ask("GET /api/calls", undefined, await gateway.logIn());
  const call = (json["calls"] as Json[])[0]?.["id"];
  await gateway.join("pol", ["policies"]);
  await gateway.join("cal", ["policies", "calls:read"]);
  const draft = "- { tool: echo, deny: No echo }";
  const attempts: [string, Json][] = [
    ["POST /api/policies/test", { call }],
    ["POST /api/policies/dry-run", { draft }],
    ["POST /api/policies/test", { tried: { tool: "echo" } }],
  ];
  const statuses = async (name: string) => {
    const headers = await gateway.logIn(name);
    return Promise.all(attempts.map(async ([line, body]) => (await gateway.ask(line, body, headers)).status));
  };
  expect(await statuses("pol")).toEqual([403, 403, 200]);
  expect(await statuses("cal")).toEqual([200, 200, 200]);
});
