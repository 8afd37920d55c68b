import { expect, test } from "vitest";
import { tool } from "biplane";
import { frozenLake } from "../../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { saveRun } from "../../packages/biplane/src/store/runs/run.ts";
import { openRunGateway } from "../admin/run-server.ts";
import { openServedGateway, passphrase, secret } from "../admin/admin-server.ts";
import type { Json } from "../admin/admin-server.ts";

test("a stolen token works until it expires, and cannot create another token", async () => {
  await using gateway = await openServedGateway();
  const mine = await gateway.logIn();
  const { json } = await gateway.ask("POST /api/tokens", { days: 1 }, mine);
  const bearer = { authorization: `Bearer ${String(json["token"])}` };
  expect((await gateway.ask("POST /api/tokens", { days: 3660 }, bearer)).status).toBe(403);
  expect((await gateway.ask("GET /api/tokens", undefined, mine)).json["tokens"]).toHaveLength(1);
  for (const days of [true, [5], "1e3", "", null])
    expect((await gateway.ask("POST /api/tokens", { days }, mine)).status).toBe(400);
});

test("the scope to call tools does not allow steps in another's episode, nor reading its resources", async () => {
  await using gateway = await openServedGateway();
  await gateway.join("tim", ["tools"]);
  const tim = await gateway.logIn("tim");
  const episode = await gateway.game.start();
  for (const way of ["execute", "step", "app", "code", "mcp-2026-07-28"]) {
    const body = { server: "game", tool: "add", input: { by: 1 }, via: [way], episode: episode.id };
    expect((await gateway.ask("POST /api/calls", body, tim)).json).toMatchObject({ error: "FORBIDDEN" });
  }
  expect(episode.stepCount).toBe(0);
  const read = await gateway.ask(`GET /api/resource?server=game&uri=x://y&episode=${episode.id}`, undefined, tim);
  expect(read.status).toBe(403);
  const own = { server: "shop", tool: "echo", input: {}, via: ["execute"] };
  expect((await gateway.ask("POST /api/calls", own, tim)).status).toBe(200);
});

test("hidden values cannot be guessed letter by letter through search", async () => {
  await using gateway = await openServedGateway();
  const mine = await gateway.logIn();
  gateway.shop.add(tool({ name: "careless", description: `Got ${secret} when it was made`, run: () => 1 }));
  const found = async (query: string) => {
    const { json } = await gateway.ask(`GET /api/tools?query=${encodeURIComponent(query)}`, undefined, mine);
    return (json["tools"] as Json[]).map(({ name }) => name);
  };
  expect(await found("got")).toEqual(["careless"]);
  for (let length = 4; length <= secret.length; length += 3)
    expect(await found(`got ${secret.slice(0, length)}`)).toEqual([]);

  await using runs = await openRunGateway([frozenLake()]);
  const facts = { startedAt: new Date().toISOString(), endedAt: undefined, agent: "a", model: "m", version: "1" };
  const figures = { rows: 0, repetitions: 1, steps: 1, concurrency: 1, pid: 0, settings: undefined, tags: [] };
  const target = "wss://me:p@ss@host/k/biplane_t_hidden/ws?key=hidden";
  await saveRun(runs.runs, { id: "one", status: "finished", target, ...facts, ...figures });
  const listed = async (query: string) =>
    (await runs.ask<{ runs: unknown[] }>(`GET /api/runs?query=${encodeURIComponent(query)}`)).json.runs.length;
  expect(await listed("host/k/")).toBe(1);
  for (const guess of ["/k/b", "biplane_t_h", "me:p", "ss@", "?key", "key=h"]) expect(await listed(guess)).toBe(0);
  expect((await runs.ask("GET /api/runs")).text).not.toMatch(/hidden|ss@/);
});

test("links with wrong keys and codes, which any website can open, do not lock a person out", async () => {
  const now = Date.now();
  await using gateway = await openServedGateway({ people: { now: () => now } });
  for (let at = 0; at < 10; at++) {
    await gateway.ask("POST /api/session", { key: `biplane_k_${at}` });
    await gateway.ask("POST /api/setup", { code: "AAAAA-AAAAA", name: "eve", passphrase });
  }
  expect((await gateway.ask("POST /api/session", { name: "ada", passphrase })).status).toBe(200);
  // They are counted all the same.
  expect((await gateway.ask("POST /api/session", { key: "biplane_k_x" })).status).toBe(429);
});
