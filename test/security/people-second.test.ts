import { expect, test } from "vitest";
import { tool } from "biplane";
import { frozenLake } from "../../src/gallery/frozen-lake/frozen-lake.ts";
import { saveRun } from "../../src/rollout/run.ts";
import { openRunHouse } from "../desk/run-house.ts";
import { openServedHouse, passphrase, secret } from "../desk/served-house.ts";
import type { Json } from "../desk/served-house.ts";

test("a token that was found is good for its own days, and makes no other", async () => {
  await using house = await openServedHouse();
  const mine = await house.logIn();
  const { json } = await house.ask("POST /api/tokens", { days: 1 }, mine);
  const bearer = { authorization: `Bearer ${String(json["token"])}` };
  expect((await house.ask("POST /api/tokens", { days: 3660 }, bearer)).status).toBe(403);
  expect((await house.ask("GET /api/tokens", undefined, mine)).json["tokens"]).toHaveLength(1);
  for (const days of [true, [5], "1e3", "", null])
    expect((await house.ask("POST /api/tokens", { days }, mine)).status).toBe(400);
});

test("whoever may call tools may not yet make somebody's moves, nor read what his episode holds", async () => {
  await using house = await openServedHouse();
  await house.join("tim", ["tools"]);
  const tim = await house.logIn("tim");
  const episode = await house.game.start();
  for (const way of ["execute", "step", "app", "code", "mcp-2026-07-28"]) {
    const body = { server: "game", tool: "add", input: { by: 1 }, ways: [way], episode: episode.id };
    expect((await house.ask("POST /api/calls", body, tim)).json).toMatchObject({ error: "UNAUTHORIZED" });
  }
  expect(episode.stepCount).toBe(0);
  const read = await house.ask(`GET /api/resource?server=game&uri=x://y&episode=${episode.id}`, undefined, tim);
  expect(read.status).toBe(403);
  const own = { server: "shop", tool: "echo", input: {}, ways: ["execute"] };
  expect((await house.ask("POST /api/calls", own, tim)).status).toBe(200);
});

test("what is not shown cannot be found out by searching for it, letter by letter", async () => {
  await using house = await openServedHouse();
  const mine = await house.logIn();
  house.shop.add(tool({ name: "careless", description: `Was told ${secret} when it was made`, run: () => 1 }));
  const found = async (query: string) => {
    const { json } = await house.ask(`GET /api/tools?query=${encodeURIComponent(query)}`, undefined, mine);
    return (json["tools"] as Json[]).map(({ name }) => name);
  };
  expect(await found("was told")).toEqual(["careless"]);
  for (let length = 4; length <= secret.length; length += 3)
    expect(await found(`told ${secret.slice(0, length)}`)).toEqual([]);

  await using runs = await openRunHouse([frozenLake()]);
  const facts = { startedAt: new Date().toISOString(), endedAt: undefined, agent: "a", model: "m", version: "1" };
  const figures = { rows: 0, repetitions: 1, steps: 1, concurrency: 1, pid: 0, settings: undefined };
  const target = "wss://me:p@ss@host/k/biplane_t_hidden/ws?key=hidden";
  await saveRun(runs.runs, { id: "one", status: "finished", target, ...facts, ...figures });
  const listed = async (query: string) =>
    (await runs.ask<{ runs: unknown[] }>(`GET /api/runs?query=${encodeURIComponent(query)}`)).json.runs.length;
  expect(await listed("host/k/")).toBe(1);
  for (const guess of ["/k/b", "biplane_t_h", "me:p", "ss@", "?key", "key=h"]) expect(await listed(guess)).toBe(0);
  expect((await runs.ask("GET /api/runs")).text).not.toMatch(/hidden|ss@/);
});

test("links with wrong keys and codes, which any page can open, do not keep a person from logging in", async () => {
  const now = Date.now();
  await using house = await openServedHouse({ people: { now: () => now } });
  for (let at = 0; at < 10; at++) {
    await house.ask("POST /api/session", { key: `biplane_k_${at}` });
    await house.ask("POST /api/setup", { code: "AAAAA-AAAAA", name: "eve", passphrase });
  }
  expect((await house.ask("POST /api/session", { name: "ada", passphrase })).status).toBe(200);
  // They are counted all the same.
  expect((await house.ask("POST /api/session", { key: "biplane_k_x" })).status).toBe(429);
});
