import { once } from "node:events";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { queryAudit } from "../../src/admin/audit/query.ts";
import type { ShownConnection } from "../../src/desk/contract.ts";
import { openHouse } from "./openapi-house.ts";
import type { House, Json } from "./openapi-house.ts";

const hello = (name: string) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name, version: "1" } },
});
const accept = { accept: "application/json, text/event-stream" };

/** Shakes hands over HTTP and gives the headers of the session. */
async function connect(house: House, name: string, path = "/mcp"): Promise<Record<string, string>> {
  const opened = await house.ask(`POST ${path}`, hello(name), accept);
  const session = opened.headers.get("mcp-session-id") ?? "";
  expect(session).not.toBe("");
  return { ...accept, "mcp-session-id": session, "mcp-protocol-version": "2025-06-18" };
}

async function list(house: House, as: Record<string, string>, query = ""): Promise<readonly ShownConnection[]> {
  const { json } = await house.ask(`GET /api/connections${query}`, undefined, as);
  return json["connections"] as ShownConnection[];
}

test("open sessions of all servers are shown without their keys, with who, what and since when", async () => {
  await using house = await openHouse();
  const ada = await house.logIn();
  expect(await list(house, ada)).toEqual([]);
  const mine = await connect(house, "editor");
  const game = await connect(house, "player", "/env/game/mcp");
  const before = await list(house, ada);
  expect(before.map(({ server, client, version, episode }) => [server, client, version, episode])).toEqual(
    expect.arrayContaining([
      ["house", "editor", "2025-06-18", null],
      ["game", "player", "2025-06-18", null],
    ]),
  );
  const { text } = await house.ask("GET /api/connections", undefined, ada);
  for (const headers of [mine, game]) expect(text).not.toContain(headers["mcp-session-id"]);
  const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "add", arguments: {} } };
  await house.ask("POST /env/game/mcp", call, game);
  const [played] = await list(house, ada, "?server=game");
  expect(played?.episode).toEqual(expect.any(String));
  expect(Date.parse(played?.lastUsedAt ?? "")).toBeGreaterThanOrEqual(Date.parse(played?.openedAt ?? ""));
  expect(played?.principal.kind).toBe("anonymous");
  expect(await list(house, ada, "?client=editor")).toHaveLength(1);
  expect(await list(house, ada, "?principal=nobody")).toHaveLength(0);
});

test("one is ended by a person: its client must shake hands again, the others go on, and the log says so", async () => {
  await using house = await openHouse();
  const ada = await house.logIn();
  const [one, other] = [await connect(house, "one"), await connect(house, "other")];
  const [found] = await list(house, ada, "?client=one");
  const ping = { jsonrpc: "2.0", id: 2, method: "ping" };
  expect((await house.ask("POST /mcp", ping, one)).status).toBe(200);
  expect((await house.ask(`DELETE /api/connections/${found?.id}`, undefined, ada)).status).toBe(204);
  expect((await house.ask("POST /mcp", ping, one)).status).toBe(404);
  expect((await house.ask("POST /mcp", ping, other)).status).toBe(200);
  expect((await house.ask(`DELETE /api/connections/${found?.id}`, undefined, ada)).status).toBe(404);
  const key = other["mcp-session-id"] ?? "";
  expect((await house.ask(`DELETE /api/connections/${key}`, undefined, ada)).status).toBe(404);
  await house.audit.flush();
  expect(await queryAudit(house.store, { tool: "connections/close" })).toMatchObject([
    { principal: { id: "ada" }, input: { id: found?.id } },
  ]);
});

test("a socket is a connection too, and ending it hangs up", async () => {
  await using house = await openHouse();
  const ada = await house.logIn();
  const socket = new WebSocket(`${house.url.replace("http", "ws")}/mcp`, "mcp");
  await once(socket, "open");
  socket.send(JSON.stringify(hello("socket")));
  await once(socket, "message");
  const [found] = await list(house, ada);
  expect(found).toMatchObject({ client: "socket", server: "house" });
  const closed = once(socket, "close");
  expect((await house.ask(`DELETE /api/connections/${found?.id}`, undefined, ada)).status).toBe(204);
  await closed;
  expect(await list(house, ada)).toEqual([]);
});

test("many are read in pages, the newest first, and what clients call themselves is kept short", async () => {
  await using house = await openHouse();
  const ada = await house.logIn();
  for (let at = 0; at < 5; at++) await connect(house, `${at}${"<b>".repeat(1000)}`);
  const seen: string[] = [];
  for (let next: string | null = ""; next !== null;) {
    const { json } = await house.ask(
      `GET /api/connections?limit=2${next === "" ? "" : `&after=${next}`}`,
      undefined,
      ada,
    );
    seen.push(...(json["connections"] as Json[]).map(({ client }) => String(client)));
    next = json["next"] as string | null;
  }
  expect(new Set(seen.map(([first]) => first))).toEqual(new Set(["0", "1", "2", "3", "4"]));
  for (const client of seen) expect(client.length).toBe(200);
});
