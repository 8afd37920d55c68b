import { expect, test } from "vitest";
import { server, tool } from "biplane";
import { connect } from "biplane/client";
import { StoredTokens } from "../../packages/biplane/src/governance/access/stored-tokens.ts";
import { roleNames } from "../../packages/biplane/src/governance/people/roles.ts";
import { openStore } from "biplane/store";
import { openServedGateway, passphrase } from "./admin-server.ts";
import type { Json, ServedGateway } from "./admin-server.ts";

const person = { kind: "person", id: "ada", scopes: ["*"] } as const;

test("a role has its scopes: a viewer reads and changes nothing, an approver also answers", async () => {
  await using gateway = await openServedGateway();
  for (const role of roleNames) await gateway.people.add({ name: role, passphrase, role });
  const status = async (name: string, line: string, body?: unknown) =>
    (await gateway.ask(line, body, await gateway.logIn(name))).status;
  const answer = { ids: ["none"], verdict: "reject", reason: "no" };
  expect(await status("viewer", "GET /api/tools")).toBe(200);
  expect(await status("viewer", "GET /api/approvals")).toBe(200);
  expect(await status("viewer", "POST /api/calls", { server: "shop", tool: "echo", via: ["mcp"] })).toBe(403);
  expect(await status("viewer", "POST /api/approvals/answer", answer)).toBe(403);
  expect(await status("viewer", "GET /api/secrets")).toBe(403);
  expect(await status("viewer", "GET /api/people")).toBe(403);
  expect(await status("approver", "POST /api/approvals/answer", answer)).toBe(400);
  expect(await status("operator", "GET /api/secrets")).toBe(200);
  expect(await status("operator", "GET /api/people")).toBe(403);
  expect(await status("owner", "GET /api/people")).toBe(200);
});

test("what a person may is changed while they are signed in, and nobody grants more than they have", async () => {
  await using gateway = await openServedGateway();
  await gateway.people.add({ name: "bob", passphrase, role: "viewer" });
  await gateway.people.add({ name: "meg", passphrase, scopes: ["people", "calls"] });
  const [ada, bob, meg] = [await gateway.logIn(), await gateway.logIn("bob"), await gateway.logIn("meg")];
  expect((await gateway.ask("GET /api/audit", undefined, bob)).status).toBe(403);
  const changed = await gateway.ask("PUT /api/people/bob", { scopes: ["audit"] }, ada);
  expect([changed.status, changed.json]).toEqual([200, expect.objectContaining({ role: null, scopes: ["audit"] })]);
  expect((await gateway.ask("GET /api/audit", undefined, bob)).status).toBe(200);
  expect((await gateway.ask("GET /api/tools", undefined, bob)).status).toBe(403);
  const messages = [
    await gateway.ask("PUT /api/people/bob", { role: "owner" }, meg),
    await gateway.ask("PUT /api/people/ada", { role: "viewer" }, meg),
    await gateway.ask("PUT /api/people/ada", { role: "viewer" }, ada),
    await gateway.ask("PUT /api/people/bob", {}, ada),
    await gateway.ask("PUT /api/people/nobody", { role: "viewer" }, ada),
  ];
  expect(messages.map(({ status }) => status)).toEqual([403, 403, 403, 400, 404]);
});

test("a personal token creates no accounts and changes no access", async () => {
  await using gateway = await openServedGateway();
  await gateway.people.add({ name: "bob", passphrase, role: "viewer" });
  const bearer = { authorization: `Bearer ${(await gateway.people.newToken("ada")).token}` };
  const add = await gateway.ask("POST /api/people", { name: "eve", passphrase, role: "owner" }, bearer);
  expect([add.status, add.json["message"]]).toEqual([403, "A token cannot add people. Sign in to do it."]);
  const change = await gateway.ask("PUT /api/people/bob", { role: "owner" }, bearer);
  expect([change.status, change.json["message"]]).toEqual([403, "A token cannot change access. Sign in to do it."]);
  expect((await gateway.people.list()).map(({ name, role }) => [name, role])).toEqual([
    ["ada", null],
    ["bob", "viewer"],
  ]);
});

test("an invitation works once, until it expires, and while its maker may grant as much", async () => {
  let now = Date.now();
  await using gateway = await openServedGateway({ people: { now: () => now } });
  const ada = await gateway.logIn();
  const accept = (key: string, name: string) => gateway.ask("POST /api/invitations/accept", { key, name, passphrase });
  const key = await invite(gateway, ada, { role: "approver" });
  const read = await gateway.ask("POST /api/invitations/read", { key });
  expect(read.json).toMatchObject({ server: "gateway", invitedBy: "ada", role: "approver" });
  expect((await accept(key, "ada")).status).toBe(400); // the name is taken, and the invitation still works
  const accepted = await accept(key, "ben");
  expect([accepted.status, accepted.json]).toEqual([200, expect.objectContaining({ name: "ben", role: "approver" })]);
  expect((await accept(key, "cyd")).status).toBe(401);
  expect((await gateway.ask("POST /api/invitations/read", { key })).status).toBe(401);

  const [late, revoked] = [
    await invite(gateway, ada, { role: "viewer", note: " Eve, night shift " }),
    await invite(gateway, ada, { scopes: ["runs"] }),
  ];
  const { json, text } = await gateway.ask("GET /api/invitations", undefined, ada);
  expect(text).not.toContain(late);
  const { invitations: ids } = json as { invitations: { id: string; role: string | null; note: string | null }[] };
  expect(ids.map(({ note, role }) => [role, note])).toEqual(
    expect.arrayContaining([
      ["viewer", "Eve, night shift"],
      [null, null],
    ]),
  );
  expect((await gateway.ask("POST /api/invitations", { role: "viewer", note: "x".repeat(101) }, ada)).status).toBe(400);
  const custom = ids.find(({ role }) => role === null);
  expect((await gateway.ask(`DELETE /api/invitations/${custom?.id}`, undefined, ada)).status).toBe(204);
  expect((await accept(revoked, "dan")).status).toBe(401);
  now += 8 * 86_400_000;
  expect((await accept(late, "eve")).status).toBe(401);

  await gateway.people.add({ name: "meg", passphrase, scopes: ["people", "runs"] });
  const meg = await gateway.logIn("meg");
  const given = await invite(gateway, meg, { scopes: ["runs"] });
  expect((await gateway.ask("POST /api/invitations", { role: "owner" }, meg)).status).toBe(403);
  await gateway.people.remove("meg");
  expect((await accept(given, "fay")).status).toBe(401);
  expect((await accept("biplane_i_guess", "fay")).status).toBe(401);
});

test("an invitation is invalid once its maker may no longer invite people", async () => {
  await using gateway = await openServedGateway();
  await gateway.people.add({ name: "meg", passphrase, scopes: ["people", "runs"] });
  const key = await invite(gateway, await gateway.logIn("meg"), { scopes: ["runs"] });
  const accept = () => gateway.ask("POST /api/invitations/accept", { key, name: "fay", passphrase });
  for (const scopes of [["runs"], ["people:read", "runs"]]) {
    await gateway.people.setAccess("meg", { scopes });
    expect((await accept()).status).toBe(401);
  }
  await gateway.people.setAccess("meg", { scopes: ["*"] });
  expect((await accept()).status).toBe(200);
});

test("of two people who use an invitation at once, one gets the account", async () => {
  await using gateway = await openServedGateway();
  const key = await invite(gateway, await gateway.logIn(), { role: "viewer" });
  const answers = await Promise.all(
    ["one", "two", "three"].map((name) => gateway.ask("POST /api/invitations/accept", { key, name, passphrase })),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect((await gateway.people.list()).map(({ name }) => name)).toHaveLength(2);
});

test.each([
  ["revoked", (tokens: StoredTokens, id: string) => tokens.revoke(id, person)],
  ["changed", (tokens: StoredTokens, id: string) => tokens.setScopes(id, [], person)],
  [
    "replaced without a time of grace",
    (tokens: StoredTokens, id: string) => tokens.rotate(id, { graceHours: 0 }, person),
  ],
])("an open connection ends with its token: %s", async (_, change) => {
  await using store = await openStore(":memory:");
  await using tokens = await StoredTokens.open({ store });
  const { id, token } = await tokens.make({ principal: "bot", kind: "token", scopes: ["a"] }, person);
  await using subject = server({ name: "subject", tools: { ping: tool({ run: () => "pong" }) } });
  const { url } = await subject.serve({ url: "ws://127.0.0.1:0", authenticate: tokens.authenticate });
  await using client = await connect(`${url}/mcp`, { bearer: token });
  expect((await client.callTool("ping")).isError).toBeFalsy();
  await tokens.rotate(id, { graceHours: 1 }, person); // The old secret is accepted for an hour.
  await tokens.reload();
  expect((await client.callTool("ping")).isError).toBeFalsy();
  await change(tokens, id);
  const refused = await client.callTool("ping").catch((error: unknown) => error);
  expect(JSON.stringify(refused instanceof Error ? refused.message : refused)).toContain("expired");
});

test("tokens of agents are made, scoped, rotated with a time of grace, and revoked", async () => {
  let now = Date.parse("2026-06-01T00:00:00Z");
  const store = await openStore(":memory:");
  await using tokens = await StoredTokens.open({ store, now: () => now });
  await using gateway = await openServedGateway({ kit: { settings: { tokens: { tokens, isRequired: true } } } });
  const ada = await gateway.logIn();
  const who = (token: string) => {
    const answer = tokens.authenticate({ headers: { authorization: `Bearer ${token}` }, address: "127.0.0.1" });
    return (answer as { id: string; scopes: readonly string[] } | undefined)?.scopes;
  };
  const made = await gateway.ask(
    "POST /api/access-tokens",
    { principal: "crm-bot", scopes: ["crm:read"], days: 30 },
    ada,
  );
  expect(made.status).toBe(201);
  const { token, info } = made.json as { token: string; info: { id: string } };
  expect(who(token)).toEqual(["crm:read"]);
  await gateway.ask(`PUT /api/access-tokens/${info.id}`, { scopes: ["crm:write"] }, ada);
  expect(who(token)).toEqual(["crm:write"]);
  const rotated = await gateway.ask(`POST /api/access-tokens/${info.id}/rotate`, { graceHours: 2 }, ada);
  const fresh = (rotated.json as { token: string }).token;
  expect([who(token), who(fresh)]).toEqual([["crm:write"], ["crm:write"]]);
  now += 2 * 3_600_000;
  expect(() => who(token)).toThrow("expired");
  expect(who(fresh)).toEqual(["crm:write"]);
  const { text, json } = await gateway.ask("GET /api/access-tokens", undefined, ada);
  expect(json).toMatchObject({ isRequired: true, tokens: [{ principal: "crm-bot", previousUntil: null }] });
  expect(text).not.toContain(fresh);
  expect((json["tokens"] as { lastUsedAt: string }[])[0]?.lastUsedAt).toBe(new Date(now).toISOString());
  now += 31 * 86_400_000;
  expect(() => who(fresh)).toThrow("expired");
  expect((await gateway.ask(`DELETE /api/access-tokens/${info.id}`, undefined, ada)).status).toBe(204);
  expect(who(fresh)).toBeUndefined();
  expect((await gateway.ask(`DELETE /api/access-tokens/${info.id}`, undefined, ada)).status).toBe(404);
  await store.close();
});

test("a personal token makes no token of an agent, and changes none", async () => {
  const store = await openStore(":memory:");
  await using tokens = await StoredTokens.open({ store });
  await using gateway = await openServedGateway({ kit: { settings: { tokens: { tokens, isRequired: true } } } });
  const by = { kind: "person", id: "ada", scopes: ["*"] } as const;
  const { id } = await tokens.make({ principal: "bot", kind: "token", scopes: ["crm:read"] }, by);
  const bearer = { authorization: `Bearer ${(await gateway.people.newToken("ada")).token}` };
  const attempts: [string, Json][] = [
    ["POST /api/access-tokens", { principal: "x" }],
    [`POST /api/access-tokens/${id}/rotate`, { graceHours: 1 }],
    [`PUT /api/access-tokens/${id}`, { scopes: ["*"] }],
  ];
  for (const [line, body] of attempts)
    expect([line, (await gateway.ask(line, body, bearer)).status]).toEqual([line, 403]);
  expect(tokens.list()).toMatchObject([{ scopes: ["crm:read"], rotatedAt: null }]);
  await store.close();
});

test("rotating a token does not extend the secret before", async () => {
  let now = Date.parse("2026-06-01T00:00:00Z");
  const hour = 3_600_000;
  const store = await openStore(":memory:");
  const by = { kind: "person", id: "ada", scopes: ["*"] } as const;
  await using tokens = await StoredTokens.open({ store, now: () => now });
  const use = (token: string) =>
    tokens.authenticate({ headers: { authorization: `Bearer ${token}` }, address: "127.0.0.1" });
  const first = await tokens.make({ principal: "bot", kind: "token", scopes: [], days: 1 }, by);
  const end = now + 24 * hour;
  now = end - hour;
  const second = await tokens.rotate(first.id, { graceHours: 5 }, by);
  expect(second).toMatchObject({ previousUntil: new Date(end).toISOString() });
  expect(use(first.token)).toMatchObject({ id: "bot", expiresAt: end });
  expect(use(second?.token ?? "")).toMatchObject({ id: "bot", expiresAt: now + 24 * hour });
  now = end;
  expect(() => use(first.token)).toThrow("expired");
  now += 48 * hour;
  const third = await tokens.rotate(first.id, { graceHours: 5 }, by);
  expect(third).toMatchObject({ previousUntil: null });
  expect(use(second?.token ?? "")).toBeUndefined();
  expect(use(third?.token ?? "")).toMatchObject({ id: "bot" });
  await store.close();
});

test("a token that another process revokes is refused after the next reading", async () => {
  const store = await openStore(":memory:");
  const by = { kind: "person", id: "ada", scopes: ["*"] } as const;
  await using here = await StoredTokens.open({ store });
  await using there = await StoredTokens.open({ store, everyMs: 3_600_000 });
  const { token, id } = await here.make({ principal: "bot", kind: "trainer", scopes: [] }, by);
  const request = { headers: { authorization: `Bearer ${token}` }, address: "127.0.0.1" };
  await there.reload();
  expect(there.authenticate(request)).toMatchObject({ kind: "trainer", id: "bot" });
  await here.revoke(id, by);
  await there.reload();
  expect(there.authenticate(request)).toBeUndefined();
  await store.close();
});

async function invite(gateway: ServedGateway, as: Record<string, string>, body: Json): Promise<string> {
  const { status, json } = await gateway.ask("POST /api/invitations", body, as);
  expect(status).toBe(201);
  return (json as { key: string }).key;
}
