import { expect, test } from "vitest";
import { tool } from "biplane";
import { openGateway, stored } from "./openapi-server.ts";
import type { Json } from "./openapi-server.ts";

test("a search does not reveal secrets in the texts of tools", async () => {
  await using gateway = await openGateway();
  gateway.gateway.add(tool({ name: "leaky", description: `Uses ${stored} to pay`, run: () => "" }));
  const ada = await gateway.logIn();
  const find = async (query: string) =>
    (await gateway.ask(`GET /api/search?query=${encodeURIComponent(query)}`, undefined, ada)).json["results"] as Json[];
  expect(await find("to pay")).toMatchObject([
    { kind: "tool", id: "leaky", about: expect.not.stringContaining(stored) as string },
  ]);
  expect(await find(stored)).toEqual([]);
  expect(await find(stored.slice(0, 8))).toEqual([]);
});

test("a search for approvals reads no inputs", async () => {
  await using gateway = await openGateway();
  const principal = { kind: "token", id: "crm-bot", scopes: [] } as const;
  await gateway.gateway.call("refund", { amount: 5 }, { principal, patienceMs: 0 }).catch(() => undefined);
  const [waiting] = await gateway.approvals.list();
  await gateway.store.db.updateTable("approvals").set({ input: "{ no JSON" }).execute();
  const ada = await gateway.logIn();
  const { status, json } = await gateway.ask("GET /api/search?query=crm-bot", undefined, ada);
  const found = (json["results"] as Json[] | undefined)?.filter(({ kind }) => kind === "approval");
  const about = "waiting · Refund it?";
  expect([status, found]).toMatchObject([200, [{ id: waiting?.id, server: "gateway", title: "refund", about }]]);
  await gateway.store.db.updateTable("approvals").set({ input: "{}" }).execute();
  const exact = await gateway.ask(`GET /api/search?query=${waiting?.id}`, undefined, ada);
  expect((exact.json["results"] as Json[]).filter(({ kind }) => kind === "approval")).toHaveLength(1);
});
