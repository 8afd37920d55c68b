import { expect, test } from "vitest";
import type { CallSummary } from "../../packages/biplane/src/admin/calls/call-api.ts";
import type { ResourceBody } from "../../packages/biplane/src/admin/overview/overview-api.ts";
import { openServedGateway, secret } from "./admin-server.ts";

test("a resource is read through the call pipeline, as the person", async () => {
  await using gateway = await openServedGateway();
  const mine = await gateway.logIn();
  const { status, json } = await gateway.ask("GET /api/resource?server=shop&uri=shop://sign", undefined, mine);
  expect(status).toBe(200);
  expect(json).toEqual({ contents: [{ uri: "shop://sign", mimeType: "text/plain", text: "open; [REDACTED:TOKEN]" }] });
  const calls = (await gateway.ask("GET /api/calls", undefined, mine)).json["calls"] as CallSummary[];
  expect(calls).toHaveLength(1);
  expect(calls[0]).toMatchObject({ tool: "resources/read", route: "app", principal: { kind: "person", id: "ada" } });
});

test("an app's page comes with the metadata a host needs", async () => {
  await using gateway = await openServedGateway();
  const uri = gateway.shop.find("sell")?.ui?.uri ?? "";
  const mine = await gateway.logIn();
  const { json } = await gateway.ask(`GET /api/resource?uri=${encodeURIComponent(uri)}`, undefined, mine);
  const [content] = (json as unknown as ResourceBody).contents;
  expect(content).toMatchObject({ uri, mimeType: "text/html;profile=mcp-app" });
  expect(content?.text).toContain("<title>Till</title>");
});

test("in an episode it is that episode's", async () => {
  await using gateway = await openServedGateway();
  const episode = await gateway.game.start();
  const address = `GET /api/resource?server=game&uri=environment://initial_state&episode=${episode.id}`;
  const { json } = await gateway.ask(address, undefined, await gateway.logIn());
  expect(JSON.parse((json as unknown as ResourceBody).contents[0]?.text ?? "")).toEqual({ count: 0 });
});

test("a policy applies here too, and its reason reveals no secret", async () => {
  await using gateway = await openServedGateway();
  const { status, json, text } = await gateway.ask(
    "GET /api/resource?uri=shop://locked",
    undefined,
    await gateway.logIn(),
  );
  expect(status).toBe(403);
  expect(json).toEqual({ error: "POLICY_DENIED", message: "not [REDACTED:TOKEN]" });
  expect(text).not.toContain(secret);
});

test.each([
  ["", 400],
  ["?uri=shop://nothing", 404],
  ["?server=nobody&uri=shop://sign", 400],
  ["?server=game&uri=shop://sign&episode=none", 400],
  ["?server=shop&uri=shop://sign&episode=none", 400],
  [`?uri=${"x".repeat(5000)}`, 404],
])("%s is refused with a reason", async (query, status) => {
  await using gateway = await openServedGateway();
  const answer = await gateway.ask(`GET /api/resource${query}`, undefined, await gateway.logIn());
  expect(answer.status).toBe(status);
  expect(answer.json["message"]).toEqual(expect.any(String));
  expect(gateway.faults).toEqual([]);
});
