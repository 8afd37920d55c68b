import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { server, tool } from "biplane";
import { openPeople } from "../../packages/biplane/src/governance/people/people.ts";
import { LoginThrottle } from "../../packages/biplane/src/governance/people/login-throttle.ts";
import { openStore } from "biplane/store";
import { cheap, passphrase } from "../admin/api/api-server.ts";
import { modernMeta } from "../wire/endpoints.ts";
import type { Json } from "../wire/endpoints.ts";

test("a forged cursor is refused: arbitrary pages would fill the memory", async () => {
  const tools = Array.from({ length: 200 }, (_, at) => tool({ name: `t${at}`, run: () => at }));
  await using gateway = server({ name: "gateway", version: "1", tools });
  const { url } = await gateway.serve("http://127.0.0.1:0");
  const list = async (from: number) => {
    const cursor = Buffer.from(`from ${from}`).toString("base64url");
    const response = await fetch(`${url}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { cursor } }),
    });
    return (await response.json()) as Json;
  };
  expect(await list(1)).toMatchObject({ error: { code: -32602 } });
  expect(await list(199)).toMatchObject({ error: { code: -32602 } });
  await gateway.close();

  await using paged = server({ name: "paged", version: "1", tools });
  const listening = await paged.serve({ url: "http://127.0.0.1:0", pageSize: 50 });
  const names = new Set<string>();
  let params: Json = {};
  for (;;) {
    const response = await fetch(`${listening.url}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params }),
    });
    const { result } = (await response.json()) as { result: { tools: { name: string }[]; nextCursor?: string } };
    for (const { name } of result.tools) names.add(name);
    if (result.nextCursor === undefined) break;
    params = { cursor: result.nextCursor };
  }
  expect(names.size).toBe(200);
});

test("every guess at a person's passphrase counts, whatever is added to the name", async () => {
  await using store = await openStore(":memory:");
  const people = openPeople({ store, cost: cheap });
  await people.add({ name: "ada", passphrase });
  await people.signIn({ name: "ada", passphrase }, "127.0.0.1");
  for (let guess = 0; guess < 20; guess++)
    await expect(people.signIn({ name: `ada\0${guess}`, passphrase }, "127.0.0.1")).rejects.toMatchObject({
      code: "INVALID_INPUT",
    });
});

test("guesses that have to wait store nothing about the names they try", async () => {
  await using store = await openStore(":memory:");
  const throttle = new LoginThrottle(store, { now: () => 0 });
  for (let guess = 0; guess < 5; guess++) await throttle.count(["place here"]);
  for (let at = 0; at < 100; at++)
    await expect(throttle.count(["place here", `name somebody ${at}`])).rejects.toThrow("Too many failed attempts");
  expect(await store.list("login attempts")).toHaveLength(1);
});

test("guesses at two processes on one store count together, and survive a restart", async () => {
  const file = join(await mkdtemp(join(tmpdir(), "biplane-")), "biplane.db");
  await using first = await openStore(file);
  await using second = await openStore(file);
  const throttles = [first, second].map((store) => new LoginThrottle(store, { now: () => 0 }));
  for (let guess = 0; guess < 5; guess++) await throttles[guess % 2]?.count(["name ada"]);
  for (const throttle of throttles)
    await expect(throttle.count(["name ada"])).rejects.toThrow("Too many failed attempts");
});

test("unauthenticated IPv6 callers are keyed by their /64 prefix", async () => {
  await using gateway = server({
    name: "limited",
    limits: { perPrincipal: { perSecond: 10, burst: 20 } },
    tools: [tool({ name: "act", run: () => "done" })],
  });
  const { url } = await gateway.serve({ url: "http://127.0.0.1:0", trustedProxies: ["127.0.0.1"] });
  const call = async (address: string) => {
    const response = await fetch(`${url}/mcp/execute`, {
      method: "POST",
      headers: { "x-forwarded-for": address },
      body: JSON.stringify({ tool: "act" }),
    });
    return response.status;
  };
  const statuses: number[] = [];
  for (let at = 0; at < 60; at++) statuses.push(await call(`2001:db8::${at.toString(16)}`));
  expect(statuses).toContain(429);
  expect(await call("2001:db8:0:1::1")).toBe(200);
});

const tasks = { extensions: { "io.modelcontextprotocol/tasks": {} } };

function startTask(url: string): Promise<Response> {
  return fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "job",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "job", arguments: {}, _meta: modernMeta(tasks) },
    }),
  });
}

test("tasks that are over are forgotten, wherever in the store they are", async () => {
  await using store = await openStore(":memory:");
  const record = (taskId: string, createdAt: Date) =>
    store.put("tasks", taskId, { taskId, status: "completed", createdAt: createdAt.toISOString(), ttlMs: 3_600_000 });
  for (let at = 100; at < 130; at++) await record(`0-fresh-${at}`, new Date());
  for (let at = 100; at < 130; at++) await record(`z-old-${at}`, new Date(0));
  const job = tool({ name: "job", task: "optional", run: async () => "done" });
  await using gateway = server({ name: "gateway", version: "1", tools: [job], store, limits: false });
  const { url } = await gateway.serve("http://127.0.0.1:0");
  for (let at = 0; at < 12; at++) await (await startTask(url)).text();
  const left = (await store.list("tasks")).map(([key]) => key);
  expect(left.filter((key) => key.startsWith("z-old"))).toEqual([]);
  expect(left.filter((key) => key.startsWith("0-fresh"))).toHaveLength(30);
});

test("a task whose progress cannot be kept takes nothing down with it", async () => {
  await using store = await openStore(":memory:");
  let isBroken = false;
  const change = store.change.bind(store);
  store.change = (...what) => (isBroken ? Promise.reject(new Error("the disk is full")) : change(...what));
  const faults: unknown[] = [];
  const job = tool({
    name: "job",
    task: "optional",
    run: async (_, call) => {
      isBroken = true;
      call.progress(1, { message: "half" });
      await new Promise(setImmediate);
      isBroken = false;
      return "done";
    },
  });
  await using gateway = server({
    name: "gateway",
    version: "1",
    tools: [job],
    store,
    limits: false,
    onFault: (fault) => faults.push(fault),
  });
  const { url } = await gateway.serve("http://127.0.0.1:0");
  const { result } = (await (await startTask(url)).json()) as { result: { taskId: string } };
  await expect.poll(async () => (await store.get("tasks", result.taskId))?.["status"]).toBe("completed");
  expect(faults).toHaveLength(1);
});

test("guessing at the names of tools is counted like calling them", async () => {
  const gateway = server({ name: "s", version: "1", limits: { perPrincipal: { perSecond: 1, burst: 3 } } });
  const principal = { kind: "token", id: "guesser", scopes: [] } as const;
  const guess = (name: string) =>
    gateway.call(name, {}, { principal, route: "mcp" }).catch((error: { code: string }) => error.code);
  const codes = await Promise.all(["a", "b", "c", "d", "e"].map(guess));
  expect(codes).toEqual(["TOOL_NOT_FOUND", "TOOL_NOT_FOUND", "TOOL_NOT_FOUND", "RATE_LIMITED", "RATE_LIMITED"]);
});

test("what is refused for coming too often leaves a short line in the audit log", async () => {
  const entries: { outcome: string; input: unknown }[] = [];
  const audit = { record: (entry: { outcome: string; input: unknown }) => void entries.push(entry) };
  const limits = { perPrincipal: { perSecond: 1, burst: 1 } };
  const act = tool({ name: "act", input: { type: "object", properties: { text: {} } }, run: () => "acted" });
  const gateway = server({ name: "s", version: "1", tools: [act], audit, limits });
  const principal = { kind: "token", id: "flood", scopes: [] } as const;
  for (let n = 0; n < 2; n++)
    await gateway.call("act", { text: "x".repeat(5000) }, { principal, route: "mcp" }).catch(() => undefined);
  expect(entries.map(({ outcome, input }) => [outcome, input === null])).toEqual([
    ["done", false],
    ["RATE_LIMITED", true],
  ]);
});
