import { describe, expect, test } from "vitest";
import type { LiveEvents } from "../../packages/biplane/src/admin/events/event-api.ts";
import type { CallSummary } from "../../packages/biplane/src/admin/calls/call-api.ts";
import { openApprovals } from "../../packages/biplane/src/governance/approvals/approvals.ts";
import { LiveBus } from "../../packages/biplane/src/admin/events/live-bus.ts";
import { within } from "../support/within.ts";
import { callAs, openServedGateway, secret } from "./admin-server.ts";
import type { EventReader, Json, ServedGateway } from "./admin-server.ts";

const soon = 5000;
const quick = { callsMs: 20, figuresMs: 50, recheckMs: 20 };

async function calls(reader: EventReader): Promise<LiveEvents["calls"]> {
  return (await within(soon, "an event of calls", reader.next("calls"))) as unknown as LiveEvents["calls"];
}

describe("live events", () => {
  test("begin with recent events, so that a list read just before has no gap", async () => {
    await using gateway = await openServedGateway({ kit: { events: { ...quick, recentMs: 60_000 } } });
    const mine = await gateway.logIn();
    for (let at = 0; at < 25; at++) await callAs("ann", gateway.shop, { tool: "echo" });
    gateway.kit.bus.publish("episodes", { changed: ["a"] });
    gateway.kit.bus.publish("episodes", { changed: ["b", "a"] });
    const reader = await gateway.listen("/api/events?topics=calls,episodes", mine);
    expect(await within(soon, "the episodes", reader.next("episodes"))).toEqual({ changed: ["a", "b"] });
    const first = await calls(reader);
    expect([first.calls.length, first.skipped]).toEqual([20, 0]);
    await callAs("bob", gateway.shop, { tool: "echo" });
    expect((await calls(reader)).calls.map(({ agent }) => agent.agentId)).toEqual(["bob"]);
  });

  test("report calls as they happen, to every reader whose filter they match", async () => {
    await using gateway = await openServedGateway({ kit: { events: { ...quick, recentMs: 0 } } });
    const mine = await gateway.logIn();
    await callAs("ann", gateway.shop, { tool: "echo", input: { text: "before" } });
    const every = await gateway.listen("/api/events?topics=calls", mine);
    const bobs = await gateway.listen("/api/events?topics=calls&agent=bob&outcome=failed", mine);
    expect([every.status, bobs.status]).toEqual([200, 200]);
    await callAs("ann", gateway.shop, { tool: "echo" });
    await callAs("bob", gateway.shop, { tool: "echo" });
    await callAs("bob", gateway.shop, { tool: "fail", input: { text: "x" } });
    const seen: CallSummary[] = [];
    while (seen.length < 3) seen.push(...(await calls(every)).calls);
    expect(seen.map(({ tool, agent }) => [tool, agent.agentId])).toEqual([
      ["echo", "ann"],
      ["echo", "bob"],
      ["fail", "bob"],
    ]);
    expect(await calls(bobs)).toMatchObject({ calls: [{ tool: "fail", outcome: "EXECUTION_ERROR" }], skipped: 0 });
  });

  test("at a thousand calls a second are a sample with the number of skipped calls", async () => {
    await using gateway = await openServedGateway();
    const reader = await gateway.listen("/api/events?topics=calls,figures", await gateway.logIn());
    await within(soon, "the first figures", reader.next("figures"));
    const seconds = process.env["BIPLANE_SOAK"] ? 20 : 2;
    const startedAt = performance.now();
    const total = seconds * 1000;
    let made = 0;
    // As many as are due, every few milliseconds: a load that does not wait for anybody.
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        const due = Math.min(total, Math.floor(performance.now() - startedAt));
        for (; made < due; made++)
          void callAs(`agent-${made % 7}`, gateway.shop, { tool: "echo", input: { text: "hi" } });
        if (made < total) return;
        clearInterval(timer);
        resolve();
      }, 5);
    });
    let told = 0;
    let events = 0;
    const ids = new Set<string>();
    while (told < total) {
      const { calls: sample, skipped } = await calls(reader);
      expect(sample.length).toBeLessThanOrEqual(20);
      for (const { id } of sample) ids.add(id);
      told += sample.length + skipped;
      events++;
    }
    expect(told).toBe(total);
    const tookSeconds = (performance.now() - startedAt) / 1000;
    expect(events).toBeLessThanOrEqual(tookSeconds * 5 + 3);
    expect(ids.size).toBeGreaterThan(seconds * 20);
    expect(ids.size).toBeLessThanOrEqual(events * 20);
    const bytes = JSON.stringify(reader.events).length;
    expect(bytes / tookSeconds).toBeLessThan(100_000);
    const after = (await within(soon, "figures", figuresOf(reader, total))) as unknown as LiveEvents["figures"];
    expect(after.calls).toBe(total);
    expect(after.callsPerSecond).toBeGreaterThan(100);
  });

  test("carry no secret", async () => {
    await using gateway = await openServedGateway({ kit: { events: quick } });
    const reader = await gateway.listen("/api/events", await gateway.logIn());
    await callAs(secret, gateway.shop, { tool: "fail", input: { text: secret } });
    await callAs("ann", gateway.shop, { tool: secret });
    const seen: CallSummary[] = [];
    while (seen.length < 2) seen.push(...(await calls(reader)).calls);
    expect(JSON.stringify(reader.events)).not.toContain(secret);
    expect(JSON.stringify(seen)).toContain("[REDACTED:TOKEN]");
  });

  test("report the number of pending approvals, at first and on every change", async () => {
    await using gateway = await openServedGateway({ kit: { events: quick } });
    const reader = await gateway.listen("/api/events?topics=approvals", await gateway.logIn());
    expect(await within(soon, "the first count", reader.next("approvals"))).toEqual({ waiting: 0, answered: [] });
    await callAs("ann", gateway.shop, { tool: "ask.first" });
    let now: Json = {};
    while (now["waiting"] !== 1) now = await within(soon, "the next count", reader.next("approvals"));
  });

  test("name the approvals that were answered, also by another process while the number stays equal", async () => {
    await using gateway = await openServedGateway({ kit: { events: quick } });
    await callAs("ann", gateway.shop, { tool: "ask.first" });
    const reader = await gateway.listen("/api/events?topics=approvals", await gateway.logIn());
    await within(soon, "the first count", reader.next("approvals"));
    const other = openApprovals({ store: gateway.store });
    const [waiting] = await other.list({ status: "waiting" });
    const answered = waiting?.id ?? "";
    await other.answer([answered], { verdict: "approve" }, { kind: "person", id: "bob", scopes: ["*"] });
    let now: Json = {};
    while ((now["answered"] as string[] | undefined)?.[0] === undefined)
      now = await within(soon, "the answer", reader.next("approvals"));
    expect(now).toEqual({ waiting: 0, answered: [answered] });
    await other.close();
  });

  test("name an answer that appears after one with a greater number, as in Postgres", async () => {
    await using gateway = await openServedGateway({ kit: { events: quick } });
    const decide = (number: number, approval: string) =>
      gateway.store.db
        .insertInto("decisions")
        .values({ ...decision, number, approval })
        .execute();
    await decide(10, "seen");
    const reader = await gateway.listen("/api/events?topics=approvals", await gateway.logIn());
    await within(soon, "the first count", reader.next("approvals"));
    const named = async (id: string) => {
      for (;;) {
        const { answered } = (await within(soon, id, reader.next("approvals"))) as { answered?: string[] };
        if (answered?.includes(id)) return answered;
      }
    };
    await callAs("ann", gateway.shop, { tool: "ask.first" }); // the first look is over when its call is counted
    while ((await within(soon, "the call", reader.next("approvals")))["waiting"] !== 1);
    await decide(13, "late number");
    expect(await named("late number")).toEqual(["late number"]);
    await decide(12, "early number");
    expect(await named("early number")).toEqual(["early number"]);
  });

  test("report changed episodes, and what other parts publish", async () => {
    await using gateway = await openServedGateway({ kit: { events: quick } });
    const reader = await gateway.listen("/api/events?topics=episodes,runs", await gateway.logIn());
    await until(() => gateway.kit.bus.hasSubscribers("runs"));
    const episode = await gateway.game.start();
    await gateway.game.call(episode, "add", { by: 1 });
    expect(await within(soon, "an episode", reader.next("episodes"))).toEqual({ changed: [episode.id] });
    gateway.kit.bus.publish("runs", { changed: ["r1"] });
    expect(await within(soon, "a run", reader.next("runs"))).toEqual({ changed: ["r1"] });
  });

  test("by default, a stream has all topics that the person's scopes allow", async () => {
    await using gateway = await openServedGateway({ kit: { events: quick } });
    await gateway.join("carl", ["approvals"]);
    const reader = await gateway.listen("/api/events", await gateway.logIn("carl"));
    await callAs("ann", gateway.shop, { tool: "echo" });
    await within(soon, "approvals", reader.next("approvals"));
    for (let at = 0; at < 4; at++) await within(soon, "figures", reader.next("figures"));
    expect(new Set(reader.events.map(({ event }) => event))).toEqual(new Set(["figures", "approvals"]));
  });

  test.each([
    "topics=",
    "topics=figures,nothing",
    "topics=__proto__",
    "topics=calls&route=x",
    "topics=calls&outcome=x",
  ])("%s is refused with a reason", async (query) => {
    await using gateway = await openServedGateway();
    const { status, json } = await gateway.ask(`GET /api/events?${query}`, undefined, await gateway.logIn());
    expect([status, json["error"]]).toEqual([400, "INVALID_INPUT"]);
  });
});

describe("a stream ends", () => {
  const open = async (gateway: ServedGateway, headers: Record<string, string>) => {
    const reader = await gateway.listen("/api/events?topics=figures,calls", headers);
    await within(soon, "the first figures", reader.next("figures"));
    return reader;
  };

  test("when its session is signed out, and others go on", async () => {
    await using gateway = await openServedGateway({ kit: { events: quick } });
    const [mine, other] = [await gateway.logIn(), await gateway.logIn()];
    const [reader, stays] = [await open(gateway, mine), await open(gateway, other)];
    expect((await gateway.ask("DELETE /api/session", undefined, mine)).status).toBe(204);
    await expect(within(soon, "the end of the stream", reader.ended)).resolves.toBeUndefined();
    await within(soon, "the other's figures", stays.next("figures"));
  });

  test("when its session has been idle too long: reading a stream does not count as use", async () => {
    const clock = { now: Date.now() };
    await using gateway = await openServedGateway({
      kit: { events: quick },
      people: { now: () => clock.now, sessions: { idleMs: 60_000, longestMs: 600_000 } },
    });
    const reader = await open(gateway, await gateway.logIn());
    clock.now += 50_000;
    for (let at = 0; at < 3; at++) await within(soon, "figures", reader.next("figures"));
    clock.now += 20_000;
    await expect(within(soon, "the end of the stream", reader.ended)).resolves.toBeUndefined();
  });

  test("when its token is revoked or its person is removed", async () => {
    await using gateway = await openServedGateway({ kit: { events: quick } });
    await gateway.join("tim", ["*"]);
    const { token, id } = await gateway.people.newToken("ada");
    const byToken = await open(gateway, { authorization: `Bearer ${token}` });
    const tims = await open(gateway, await gateway.logIn("tim"));
    await gateway.people.revokeToken("ada", id);
    await within(soon, "the end of the token's stream", byToken.ended);
    await gateway.people.remove("tim");
    await expect(within(soon, "the end of tim's stream", tims.ended)).resolves.toBeUndefined();
  });

  test("when the admin API closes, and when the server does", async () => {
    await using gateway = await openServedGateway();
    const mine = await gateway.logIn();
    const first = await open(gateway, mine);
    await gateway.kit.close();
    await within(soon, "the end of the stream", first.ended);
    const second = await open(gateway, mine);
    await gateway.closeEndpoints();
    await expect(within(soon, "the end of the stream", second.ended)).resolves.toBeUndefined();
  });

  test("when its reader takes nothing for long", async () => {
    await using gateway = await openServedGateway({
      kit: { events: { callsMs: 2, figuresMs: 5, maxCalls: 200, slowMs: 300 } },
    });
    const reader = await open(gateway, await gateway.logIn());
    reader.pause();
    // Until the pipes in between are full and beyond.
    for (let at = 0; at < 200_000 && gateway.kit.readers() > 0; at++) {
      void callAs("a".repeat(250), gateway.shop, { tool: "fail", input: { text: "n".repeat(280) } });
      if (at % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(gateway.kit.readers()).toBe(0);
  });

  test("the number of readers is limited", async () => {
    await using gateway = await openServedGateway({ kit: { events: { ...quick, maxReaders: 2 } } });
    const mine = await gateway.logIn();
    const [first] = [await open(gateway, mine), await open(gateway, mine)];
    expect((await gateway.ask("GET /api/events", undefined, mine)).status).toBe(503);
    first.close();
    await until(() => gateway.kit.readers() < 2);
    await open(gateway, mine);
  });
});

describe("the bus", () => {
  test("groups frequent events, and drops the names if there are too many", async () => {
    const bus = new LiveBus({ everyMs: 5 });
    const heard: string[][] = [];
    let wake: () => void = () => undefined;
    const stop = bus.subscribe("episodes", ({ changed }) => {
      heard.push([...changed]);
      wake();
    });
    const next = () => new Promise<void>((resolve) => (wake = resolve));
    bus.publish("episodes", { changed: ["a"] });
    const second = next();
    for (const id of ["b", "c", "b"]) bus.publish("episodes", { changed: [id] });
    await second;
    const third = next();
    for (let at = 0; at < 1000; at++) bus.publish("episodes", { changed: [String(at)] });
    await third;
    stop();
    bus.publish("episodes", { changed: ["unheard"] });
    expect(heard).toEqual([["a"], ["b", "c"], []]);
    bus.close();
  });
});

const decision = {
  round: 1,
  verdict: "approve",
  decided_by: "person bob",
  decided_at: 1,
  server: "s",
  tool: "t",
} as const;

/** The first figures that know of so many calls. */
async function figuresOf(reader: EventReader, most: number): Promise<Json> {
  for (;;) {
    const figures = await reader.next("figures");
    if (Number(figures["calls"]) >= most) return figures;
  }
}

async function until(isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + soon;
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error("the condition did not become true");
    await new Promise((resolve) => setImmediate(resolve));
  }
}
