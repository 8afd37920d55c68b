import { once } from "node:events";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { queryAudit } from "../../packages/biplane/src/governance/audit/query.ts";
import type { ConnectionSummary } from "../../packages/biplane/src/admin/overview/connection-api.ts";
import { openGateway } from "./openapi-server.ts";
import type { Gateway, Json } from "./openapi-server.ts";

const hello = (name: string) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name, version: "1" } },
});
const accept = { accept: "application/json, text/event-stream" };

/** Shakes hands over HTTP and gives the headers of the session. */
async function connect(gateway: Gateway, name: string, path = "/mcp"): Promise<Record<string, string>> {
  const opened = await gateway.ask(`POST ${path}`, hello(name), accept);
  const session = opened.headers.get("mcp-session-id") ?? "";
  expect(session).not.toBe("");
  return { ...accept, "mcp-session-id": session, "mcp-protocol-version": "2025-06-18" };
}

async function list(gateway: Gateway, as: Record<string, string>, query = ""): Promise<readonly ConnectionSummary[]> {
  const { json } = await gateway.ask(`GET /api/connections${query}`, undefined, as);
  return json["connections"] as ConnectionSummary[];
}

test("open sessions of all servers are shown without their keys, with who, what and since when", async () => {
  await using gateway = await openGateway();
  const ada = await gateway.logIn();
  expect(await list(gateway, ada)).toEqual([]);
  const mine = await connect(gateway, "editor");
  const game = await connect(gateway, "player", "/env/game/mcp");
  const before = await list(gateway, ada);
  expect(before.map(({ server, client, version, episode }) => [server, client, version, episode])).toEqual(
    expect.arrayContaining([
      ["gateway", "editor", "2025-06-18", null],
      ["game", "player", "2025-06-18", null],
    ]),
  );
  const { text } = await gateway.ask("GET /api/connections", undefined, ada);
  for (const headers of [mine, game]) expect(text).not.toContain(headers["mcp-session-id"]);
  const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "add", arguments: {} } };
  await gateway.ask("POST /env/game/mcp", call, game);
  const [played] = await list(gateway, ada, "?server=game");
  expect(played?.episode).toEqual(expect.any(String));
  expect(Date.parse(played?.lastUsedAt ?? "")).toBeGreaterThanOrEqual(Date.parse(played?.openedAt ?? ""));
  expect(played?.principal.kind).toBe("anonymous");
  expect(await list(gateway, ada, "?client=editor")).toHaveLength(1);
  expect(await list(gateway, ada, "?principal=nobody")).toHaveLength(0);
});

test("a person ends one session: its client must initialize again, others continue, and the audit log has an entry", async () => {
  await using gateway = await openGateway();
  const ada = await gateway.logIn();
  const [one, other] = [await connect(gateway, "one"), await connect(gateway, "other")];
  const [found] = await list(gateway, ada, "?client=one");
  const ping = { jsonrpc: "2.0", id: 2, method: "ping" };
  expect((await gateway.ask("POST /mcp", ping, one)).status).toBe(200);
  expect((await gateway.ask(`DELETE /api/connections/${found?.id}`, undefined, ada)).status).toBe(204);
  expect((await gateway.ask("POST /mcp", ping, one)).status).toBe(404);
  expect((await gateway.ask("POST /mcp", ping, other)).status).toBe(200);
  expect((await gateway.ask(`DELETE /api/connections/${found?.id}`, undefined, ada)).status).toBe(404);
  const key = other["mcp-session-id"] ?? "";
  expect((await gateway.ask(`DELETE /api/connections/${key}`, undefined, ada)).status).toBe(404);
  await gateway.audit.flush();
  expect(await queryAudit(gateway.store, { tool: "connections/close" })).toMatchObject([
    { principal: { id: "ada" }, input: { id: found?.id } },
  ]);
});

test("a WebSocket is listed too, and ending it closes it", async () => {
  await using gateway = await openGateway();
  const ada = await gateway.logIn();
  const socket = new WebSocket(`${gateway.url.replace("http", "ws")}/mcp`, "mcp");
  await once(socket, "open");
  socket.send(JSON.stringify(hello("socket")));
  await once(socket, "message");
  const [found] = await list(gateway, ada);
  expect(found).toMatchObject({ client: "socket", server: "gateway" });
  const closed = once(socket, "close");
  expect((await gateway.ask(`DELETE /api/connections/${found?.id}`, undefined, ada)).status).toBe(204);
  await closed;
  expect(await list(gateway, ada)).toEqual([]);
});

test("many are read in pages, the newest first, and what clients call themselves is kept short", async () => {
  await using gateway = await openGateway();
  const ada = await gateway.logIn();
  for (let at = 0; at < 5; at++) await connect(gateway, `${at}${"<b>".repeat(1000)}`);
  const seen: string[] = [];
  for (let next: string | null = ""; next !== null;) {
    const { json } = await gateway.ask(
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

test("callers without a session are listed by identity, with how often they called and failed", async () => {
  await using gateway = await openGateway();
  const ada = await gateway.logIn();
  for (const tool of ["echo", "echo", "nothing"]) await gateway.ask("POST /mcp/execute", { tool, arguments: {} });
  const { json } = await gateway.ask("GET /api/clients", undefined, ada);
  expect(json).toMatchObject({
    clients: [
      {
        server: "gateway",
        route: "execute",
        principal: { kind: "anonymous" },
        calls: 3,
        failed: 1,
        refused: 0,
        asked: 0,
        invalid: 1,
      },
    ],
    next: null,
  });
  expect((await gateway.ask("GET /api/clients?principal=other", undefined, ada)).json).toMatchObject({ clients: [] });
});
