import { expect, test } from "vitest";
import type { CallStatisticsBody } from "../../packages/biplane/src/admin/calls/statistics-api.ts";
import { CallLog } from "../../packages/biplane/src/admin/calls/call-log.ts";
import { CallStatistics } from "../../packages/biplane/src/admin/calls/call-statistics.ts";
import { StatisticsReader } from "../../packages/biplane/src/admin/calls/statistics-reader.ts";
import { allow, deny, server, tool } from "biplane";
import { serverOf } from "@biplane/core/internal";
import { openStore } from "biplane/store";
import { callAs, openServedGateway } from "./admin-server.ts";

test("calls are counted by tool, agent and policy, for people who may see calls", async () => {
  await using gateway = await openServedGateway();
  await callAs("ann", gateway.shop, { tool: "echo", input: { text: "hi" } });
  await callAs("ann", gateway.shop, { tool: "fail" });
  await callAs("bob", gateway.shop, { tool: "echo", input: { text: "hi" } });
  await gateway.join("blind", ["runs"]);
  const ada = await gateway.logIn();
  const { status, json } = await gateway.ask("GET /api/statistics?range=1h", undefined, ada);
  expect(status).toBe(200);
  const body = json as unknown as CallStatisticsBody;
  expect(body.all).toMatchObject({ calls: 3, failed: 1, refused: 0, waited: 0 });
  expect(body.points).toHaveLength(60);
  expect(body.points.reduce((sum, { calls }) => sum + calls, 0)).toBe(3);
  expect(body.tools.map(({ server: name, name: called, calls, failed }) => [name, called, calls, failed])).toEqual([
    ["shop", "echo", 2, 0],
    ["shop", "fail", 1, 1],
  ]);
  expect(body.agents.map(({ name, calls }) => [name, calls])).toEqual([
    ["ann", 2],
    ["bob", 1],
  ]);
  expect(body.all.run.p50).toBeGreaterThan(0);
  expect((await gateway.ask("GET /api/statistics", undefined, await gateway.logIn("blind"))).status).toBe(403);
  expect((await gateway.ask("GET /api/statistics?range=2y", undefined, ada)).status).toBe(400);
});

test("a policy that denies is counted by its name", async () => {
  await using parts = await counted();
  const guard = Object.assign((_: unknown, name: string) => (name === "no" ? deny("never") : allow()), {
    policyName: "guard",
  });
  await parts.call("wait", guard);
  await parts.call("no", guard);
  const { all, tools, policies } = await parts.read("24h");
  expect(all).toMatchObject({ calls: 2, failed: 1, refused: 1 });
  expect(tools.map(({ name }) => name).sort()).toEqual(["no", "wait"]);
  expect(policies).toHaveLength(1);
  expect(policies[0]).toMatchObject({ calls: 1, failed: 1 });
});

test("a month is read from hours, and names that callers choose are limited", async () => {
  let now = Date.parse("2026-05-01T00:30:00Z");
  await using parts = await counted(() => now);
  for (let day = 0; day < 29; day++) {
    await parts.call("look");
    now += 86_400_000;
  }
  for (let at = 0; at < 150; at++) await parts.call("look", undefined, `agent ${at}`);
  const month = await parts.read("30d");
  expect(month.all.calls).toBe(179);
  expect(month.points.filter(({ calls }) => calls > 0)).toHaveLength(30);
  expect(month.agents.find(({ name }) => name === "(others)")?.calls).toBe(50);
  expect((await parts.read("1h")).all.calls).toBe(150);
});

test("what is over is counted once, and what follows is added, as time goes on", async () => {
  let now = Date.parse("2026-05-01T12:30:00Z");
  await using parts = await counted(() => now);
  for (let call = 1; call <= 20; call++) {
    await parts.call("look", undefined, `agent ${call % 3}`);
    const { all, agents, points } = await parts.read("24h");
    const sums = [agents, points].map((counts) => counts.reduce((sum, { calls }) => sum + calls, 0));
    expect([all.calls, ...sums]).toEqual([call, call, call]);
    now += 7 * 60_000;
  }
  now += 86_400_000;
  expect((await parts.read("24h")).all.calls).toBe(0);
});

test("two processes on one store add up, and a restart loses nothing that was flushed", async () => {
  await using parts = await counted();
  await parts.call("look");
  await parts.reopen();
  await parts.call("look");
  expect((await parts.read("6h")).all.calls).toBe(2);
});

/** A server whose calls are counted in a store. */
async function counted(now: () => number = Date.now) {
  const store = await openStore(":memory:");
  const open = () => {
    const log = new CallLog({ now });
    const statistics = new CallStatistics({ store, log, now });
    return { log, statistics, reader: new StatisticsReader({ store, statistics, now }) };
  };
  let opened = open();
  return {
    async call(name: string, policy?: Parameters<ReturnType<typeof server>["policy"]>[0], agent = "ann") {
      const shop = server({ name: "shop", version: "1", tools: [tool({ name, run: () => "done" })] });
      shop.govern({ meters: [opened.log.meterOf("shop")], limits: false });
      if (policy) shop.policy(policy);
      await callAs(agent, shop, { tool: name });
      await serverOf(shop).close();
    },
    read: (range: Parameters<StatisticsReader["read"]>[0]) => opened.reader.read(range),
    async reopen() {
      await opened.statistics.close();
      opened = open();
    },
    async [Symbol.asyncDispose]() {
      await opened.statistics.close();
      await store.close();
    },
  };
}
