import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sqliteStore } from "biplane/sqlite";
import { openApprovals } from "../../src/admin/approvals/approvals.ts";
import type { Store } from "../../src/store/store.ts";
import { openHouse } from "./openapi-house.ts";
import type { House, Json } from "./openapi-house.ts";

const refund = (house: House, amount: unknown) =>
  house.ask("POST /mcp/execute", { tool: "refund", arguments: { amount } });
const listed = async (house: House, query: string, as: Record<string, string>) =>
  (await house.ask(`GET /api/approvals?${query}`, undefined, as)).json as { approvals: Json[]; next: string | null };

test("what was approved last for the same tool is there to compare with, also once it was used", async () => {
  await using house = await openHouse();
  const ada = await house.logIn();
  await refund(house, 1);
  const [first] = (await listed(house, "", ada)).approvals;
  const before = async (id: unknown) => house.ask(`GET /api/approvals/${String(id)}/before`, undefined, ada);
  const none = await before(first?.["id"]);
  expect([none.status, none.json["error"]]).toEqual([404, "NOT_FOUND"]);
  await house.ask("POST /api/approvals/answer", { ids: [first?.["id"]], verdict: "approve" }, ada);
  expect((await refund(house, 1)).status).toBe(200);
  await refund(house, 2);
  const [second] = (await listed(house, "status=waiting", ada)).approvals;
  expect((await before(second?.["id"])).json).toEqual({
    input: { amount: 1 },
    answeredBy: "person ada",
    answeredAt: expect.stringMatching(/^20/) as string,
  });
  const no = { ids: [second?.["id"]], verdict: "reject", reason: "no" };
  await house.ask("POST /api/approvals/answer", no, ada);
  await refund(house, 3);
  const [third] = (await listed(house, "status=waiting", ada)).approvals;
  expect((await before(third?.["id"])).json).toMatchObject({ input: { amount: 1 } });
  expect((await before("nothing")).status).toBe(404);
});

test("the list is filtered by tool, server, caller and batch, and a page goes on although its last was answered", async () => {
  await using house = await openHouse({ scripts: { hello: "result = 1\n" } });
  const ada = await house.logIn();
  for (const amount of [1, 2, 3]) await refund(house, amount);
  await house.ask("POST /mcp/execute", { tool: "script_run", arguments: { name: "hello" } });
  const count = async (query: string) => (await listed(house, query, ada)).approvals.length;
  expect(await count("tool=refund")).toBe(3);
  expect(await count("tool=script_run&status=waiting")).toBe(1);
  expect(await count("server=elsewhere")).toBe(0);
  const all = (await listed(house, "", ada)).approvals;
  const { principal, batch } = all[0] as { principal: { id: string }; batch: string };
  expect(await count(`principal=${encodeURIComponent(principal.id)}`)).toBe(4);
  expect(await count("principal=nobody")).toBe(0);
  expect(await count(`batch=${batch}`)).toBe(1);

  const page = await listed(house, "status=waiting&limit=2", ada);
  const ids = page.approvals.map(({ id }) => id);
  await house.ask("POST /api/approvals/answer", { ids, verdict: "reject", reason: "no" }, ada);
  const rest = await listed(house, `status=waiting&limit=2&after=${page.next}`, ada);
  expect(new Set([...ids, ...rest.approvals.map(({ id }) => id)])).toEqual(new Set(all.map(({ id }) => id)));
  expect(rest.approvals).toHaveLength(2);
});

test("a session's key is not shown with the call that it made", async () => {
  await using house = await openHouse();
  const ada = await house.logIn();
  const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  const headers = { accept: "application/json, text/event-stream" };
  const opened = await house.ask("POST /mcp", { jsonrpc: "2.0", id: 1, method: "initialize", params: hello }, headers);
  const session = opened.headers.get("mcp-session-id") ?? "";
  const params = { name: "refund", arguments: { amount: 1 } };
  const mine = { ...headers, "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" };
  await house.ask("POST /mcp", { jsonrpc: "2.0", id: 2, method: "tools/call", params }, mine);
  const { text, json } = await house.ask("GET /api/approvals", undefined, ada);
  expect(session).not.toBe("");
  expect(text).not.toContain(session);
  const [approval] = json["approvals"] as Json[];
  const { connections } = (await house.ask("GET /api/connections", undefined, ada)).json as { connections: Json[] };
  expect(approval?.["session"]).toBe(connections[0]?.["id"]);
});

test("how many wait is known in every process on the store, without reading what they ask", async () => {
  const folder = mkdtempSync(join(tmpdir(), "biplane-waiting-"));
  const file = join(folder, "kept.db");
  try {
    await using store = sqliteStore(file);
    await using house = await openHouse({ store });
    await using elsewhere = sqliteStore(file);
    const read: string[] = [];
    await using other = openApprovals({ store: told(elsewhere, read) });
    expect(await other.waiting()).toBe(0);
    read.length = 0;
    for (const amount of [1, 2, 3]) await refund(house, amount);
    expect([await house.approvals.waiting(), await other.waiting()]).toEqual([3, 3]);
    const [first, second] = await house.approvals.list();
    const by = { kind: "person", id: "ada", scopes: [] } as const;
    await other.answer([first?.id ?? ""], { verdict: "approve" }, by);
    await house.approvals.answer([second?.id ?? ""], { verdict: "reject", reason: "no" }, by);
    read.length = 0;
    expect([await house.approvals.waiting(), await other.waiting()]).toEqual([1, 1]);
    expect(read).toEqual(["approvals-waiting"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("what was asked before anybody counted is counted, and what expires is not", async () => {
  await using store = sqliteStore(":memory:");
  await using house = await openHouse({ store });
  await refund(house, 1);
  const [asked] = await house.approvals.list();
  await store.delete("approvals-waiting", asked?.id ?? "");
  await store.put("approvals-waiting", "left by a process that died", { expiresAt: "2999-01-01T00:00:00.000Z" });
  let now = Date.now();
  const later = openApprovals({ store, now: () => now });
  expect(await later.waiting()).toBe(2);
  now += 2 * 3_600_000;
  expect(await later.waiting()).toBe(1);
  await store.delete("approvals-waiting", "left by a process that died");
  expect(await store.list("approvals-waiting")).toEqual([]);
});

/** A store that says which collections are read as a whole. */
function told(store: Store, read: string[]): Store {
  return new Proxy(store, {
    get(target, key) {
      const member = Reflect.get(target, key) as unknown;
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        if (key === "list") read.push(String(args[0]));
        return Reflect.apply(member, target, args) as unknown;
      };
    },
  });
}
