import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openStore } from "biplane/store";
import { openApprovals } from "../../packages/biplane/src/governance/approvals/approvals.ts";
import { openGateway } from "./openapi-server.ts";
import type { Gateway, Json } from "./openapi-server.ts";

const refund = (gateway: Gateway, amount: unknown) =>
  gateway.ask("POST /mcp/execute", { tool: "refund", arguments: { amount } });
const listed = async (gateway: Gateway, query: string, as: Record<string, string>) =>
  (await gateway.ask(`GET /api/approvals?${query}`, undefined, as)).json as { approvals: Json[]; next: string | null };

test("the latest approval for the same tool is returned for comparison, even after it was used", async () => {
  await using gateway = await openGateway();
  const ada = await gateway.logIn();
  await refund(gateway, 1);
  const [first] = (await listed(gateway, "", ada)).approvals;
  const before = async (id: unknown) => gateway.ask(`GET /api/approvals/${String(id)}/previous`, undefined, ada);
  const none = await before(first?.["id"]);
  expect([none.status, none.json["error"]]).toEqual([404, "NOT_FOUND"]);
  await gateway.ask("POST /api/approvals/answer", { ids: [first?.["id"]], verdict: "approve" }, ada);
  expect((await refund(gateway, 1)).status).toBe(200);
  await refund(gateway, 2);
  const [second] = (await listed(gateway, "status=waiting", ada)).approvals;
  expect((await before(second?.["id"])).json).toEqual({
    input: { amount: 1 },
    answeredBy: "person ada",
    answeredAt: expect.stringMatching(/^20/) as string,
  });
  const no = { ids: [second?.["id"]], verdict: "reject", reason: "no" };
  await gateway.ask("POST /api/approvals/answer", no, ada);
  await refund(gateway, 3);
  const [third] = (await listed(gateway, "status=waiting", ada)).approvals;
  expect((await before(third?.["id"])).json).toMatchObject({ input: { amount: 1 } });
  expect((await before("nothing")).status).toBe(404);
});

test("the list is filtered by tool, server, caller and batch, and paging continues after the last entry was answered", async () => {
  await using gateway = await openGateway({ scripts: { hello: "result = 1\n" } });
  const ada = await gateway.logIn();
  for (const amount of [1, 2, 3]) await refund(gateway, amount);
  await gateway.ask("POST /mcp/execute", { tool: "script_run", arguments: { name: "hello" } });
  const count = async (query: string) => (await listed(gateway, query, ada)).approvals.length;
  expect(await count("tool=refund")).toBe(3);
  expect(await count("tool=script_run&status=waiting")).toBe(1);
  expect(await count("server=elsewhere")).toBe(0);
  const all = (await listed(gateway, "", ada)).approvals;
  const { principal, batch } = all[0] as { principal: { id: string }; batch: string };
  expect(await count(`principal=${encodeURIComponent(principal.id)}`)).toBe(4);
  expect(await count("principal=nobody")).toBe(0);
  expect(await count(`batch=${batch}`)).toBe(1);

  const page = await listed(gateway, "status=waiting&limit=2", ada);
  const ids = page.approvals.map(({ id }) => id);
  await gateway.ask("POST /api/approvals/answer", { ids, verdict: "reject", reason: "no" }, ada);
  const rest = await listed(gateway, `status=waiting&limit=2&after=${page.next}`, ada);
  expect(new Set([...ids, ...rest.approvals.map(({ id }) => id)])).toEqual(new Set(all.map(({ id }) => id)));
  expect(rest.approvals).toHaveLength(2);
});

test("a call made in a session does not show the session's key", async () => {
  await using gateway = await openGateway();
  const ada = await gateway.logIn();
  const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  const headers = { accept: "application/json, text/event-stream" };
  const opened = await gateway.ask(
    "POST /mcp",
    { jsonrpc: "2.0", id: 1, method: "initialize", params: hello },
    headers,
  );
  const session = opened.headers.get("mcp-session-id") ?? "";
  const params = { name: "refund", arguments: { amount: 1 } };
  const mine = { ...headers, "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" };
  await gateway.ask("POST /mcp", { jsonrpc: "2.0", id: 2, method: "tools/call", params }, mine);
  const { text, json } = await gateway.ask("GET /api/approvals", undefined, ada);
  expect(session).not.toBe("");
  expect(text).not.toContain(session);
  const [approval] = json["approvals"] as Json[];
  const { connections } = (await gateway.ask("GET /api/connections", undefined, ada)).json as { connections: Json[] };
  expect(approval?.["session"]).toBe(connections[0]?.["id"]);
});

test("every process on the store knows how many approvals are pending", async () => {
  const folder = mkdtempSync(join(tmpdir(), "biplane-waiting-"));
  const file = join(folder, "kept.db");
  try {
    await using store = await openStore(file);
    await using gateway = await openGateway({ store });
    await using elsewhere = await openStore(file);
    await using other = openApprovals({ store: elsewhere });
    expect(await other.waiting()).toBe(0);
    for (const amount of [1, 2, 3]) await refund(gateway, amount);
    expect([await gateway.approvals.waiting(), await other.waiting()]).toEqual([3, 3]);
    const [first, second] = await gateway.approvals.list();
    const by = { kind: "person", id: "ada", scopes: [] } as const;
    await other.answer([first?.id ?? ""], { verdict: "approve" }, by);
    await gateway.approvals.answer([second?.id ?? ""], { verdict: "reject", reason: "no" }, by);
    expect([await gateway.approvals.waiting(), await other.waiting()]).toEqual([1, 1]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("expired approvals are not counted", async () => {
  await using store = await openStore(":memory:");
  await using gateway = await openGateway({ store });
  await refund(gateway, 1);
  let now = Date.now();
  const later = openApprovals({ store, now: () => now });
  expect(await later.waiting()).toBe(1);
  now += 2 * 3_600_000;
  expect(await later.waiting()).toBe(0);
});

test("a standing approval shows the input that it is bound to, in short in the list and whole by its id", async () => {
  await using gateway = await openGateway();
  const ada = await gateway.logIn();
  const amount = "9".repeat(500);
  await refund(gateway, amount);
  const [waiting] = (await listed(gateway, "status=waiting", ada)).approvals;
  const scope = { kind: "always" };
  await gateway.ask("POST /api/approvals/answer", { ids: [waiting?.["id"]], verdict: "approve", scope }, ada);
  const { grants } = (await gateway.ask("GET /api/grants", undefined, ada)).json as { grants: Json[] };
  expect(grants).toMatchObject([{ tool: "refund", preview: expect.stringMatching(/^\{"amount":"9{280}/) as string }]);
  expect(String(grants[0]?.["preview"]).length).toBe(300);
  expect(grants[0]).not.toHaveProperty("input");
  const one = await gateway.ask(`GET /api/grants/${String(grants[0]?.["id"])}`, undefined, ada);
  expect(one.json).toMatchObject({ tool: "refund", hash: waiting?.["hash"], input: { amount } });
  expect((await gateway.ask("GET /api/grants/none", undefined, ada)).status).toBe(404);
});

test("standing approvals are listed newest first, also in pages", async () => {
  let now = Date.now();
  await using store = await openStore(":memory:");
  await using gateway = await openGateway({ store });
  const ada = await gateway.logIn();
  const approvals = openApprovals({ store, now: () => now });
  const person = { kind: "person", id: "ada", scopes: ["*"] } as const;
  const names = ["first", "second", "third", "fourth"];
  for (const name of names) {
    now += 1000;
    await approvals.decide({ server: "shop", tool: name, subject: { name } }, { verdict: "approve" }, person);
  }
  const tools: unknown[] = [];
  for (let next: string | null | undefined; next !== null;) {
    const after = next === undefined ? "" : `&after=${encodeURIComponent(next)}`;
    const page = (await gateway.ask(`GET /api/grants?limit=3${after}`, undefined, ada)).json as unknown as {
      grants: { tool: string }[];
      next: string | null;
    };
    tools.push(...page.grants.map(({ tool }) => tool));
    ({ next } = page);
  }
  expect(tools).toEqual(names.toReversed());
});

test("messages about a call that expired or was answered are not needed, and say why", async () => {
  await using gateway = await openGateway();
  const ada = await gateway.logIn();
  for (const amount of [1, 2, 3]) await refund(gateway, amount);
  const [third, second] = (await listed(gateway, "status=waiting", ada)).approvals.map(({ id }) => String(id));
  await gateway.ask("POST /api/approvals/answer", { ids: [third], verdict: "reject", reason: "no" }, ada);
  await gateway.store.db
    .updateTable("approvals")
    .set({ expires_at: Date.now() - 1 })
    .where("id", "=", second ?? "")
    .execute();
  const { deliveries } = (await gateway.ask("GET /api/notifications", undefined, ada)).json as { deliveries: Json[] };
  const shown = deliveries.map(({ approval, status, approvalStatus, nextAt }) => [
    approval === third ? "answered" : approval === second ? "expired" : "open",
    status,
    approvalStatus,
    nextAt === null,
  ]);
  expect(new Set(shown.map(String))).toEqual(
    new Set(["answered,dropped,rejected,true", "expired,dropped,expired,true", "open,waiting,waiting,false"]),
  );
  expect(deliveries.find(({ approval }) => approval === third)).toMatchObject({ preview: '{"amount":3}' });
});
