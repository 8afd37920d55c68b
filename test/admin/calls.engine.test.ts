import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { boundedJson } from "../../packages/biplane/src/admin/calls/bounded-json.ts";
import { CallFigures } from "../../packages/biplane/src/admin/overview/figures.ts";
import type { CallDetail, CallSummary } from "../../packages/biplane/src/admin/calls/call-api.ts";
import { callAs, openServedGateway, secret } from "./admin-server.ts";
import type { ServedGateway } from "./admin-server.ts";

async function callsOf(gateway: ServedGateway, query = ""): Promise<{ calls: CallSummary[]; next: string | null }> {
  const { status, json } = await gateway.ask(`GET /api/calls${query}`, undefined, await gateway.logIn());
  expect(status).toBe(200);
  return json as unknown as { calls: CallSummary[]; next: string | null };
}

async function opened(gateway: ServedGateway, id: string | undefined): Promise<CallDetail> {
  return (await gateway.ask(`GET /api/calls/${id}`, undefined, await gateway.logIn())).json as unknown as CallDetail;
}

describe.each([
  ["in memory", false],
  ["in a store", true],
] as const)("the list of calls %s", (_, storesCalls) => {
  test("lists the newest first, with caller, tool, route and outcome", async () => {
    await using gateway = await openServedGateway({ storesCalls });
    await fetch(`${gateway.url}/mcp/execute`, {
      method: "POST",
      body: JSON.stringify({ tool: "echo", arguments: { text: "hi" }, agent: { agent_id: "bob", model: "m" } }),
    });
    await callAs("ann", gateway.shop, { tool: "fail", input: { text: "way" }, session: "a-key" });
    const { calls, next } = await callsOf(gateway);
    expect(next).toBeNull();
    expect(calls.map(({ tool }) => tool)).toEqual(["fail", "echo"]);
    expect(calls[0]).toMatchObject({ route: "mcp", outcome: "EXECUTION_ERROR", message: "no: way", server: "shop" });
    expect(calls[1]).toMatchObject({ route: "execute", outcome: "done", message: null, agent: { agentId: "bob" } });
    expect(calls[0]?.session).toMatch(/^[0-9a-f]{12}$/);
    expect(calls[1]?.durationMs).toBeGreaterThan(0);
  });

  test("is filtered by everything it shows", async () => {
    await using gateway = await openServedGateway({ storesCalls });
    const episode = await gateway.game.start();
    await callAs("ann", gateway.shop, { tool: "echo" });
    await callAs("bob", gateway.shop, { tool: "shout" });
    await callAs("bob", gateway.shop, { tool: "fail" });
    await callAs("bob", gateway.shop, { tool: "no_such_tool" });
    await gateway.game.call(episode, "look");
    const names = async (query: string) => (await callsOf(gateway, query)).calls.map(({ tool }) => tool);
    expect(await names("?agent=ANN")).toEqual(["echo"]);
    expect(await names("?principal=of+bob")).toEqual(["no_such_tool", "fail", "shout"]);
    expect(await names("?tool=ho")).toEqual(["shout", "echo"]);
    expect(await names("?server=game")).toEqual(["look"]);
    expect(await names("?route=direct")).toEqual(["look"]);
    expect(await names("?outcome=EXECUTION_ERROR")).toEqual(["fail"]);
    expect(await names("?outcome=failed&agent=bob")).toEqual(["no_such_tool", "fail"]);
    expect(await names(`?episode=${episode.id}`)).toEqual(["look"]);
    expect(await names("?episode=another")).toEqual([]);
  });

  test("is paged without repetitions or gaps while new calls arrive", async () => {
    await using gateway = await openServedGateway({ storesCalls });
    for (let at = 0; at < 25; at++)
      await callAs(at % 2 === 0 ? "even" : "odd", gateway.shop, { tool: "echo", input: {} });
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const page = await callsOf(gateway, `?limit=4&agent=even${after === null ? "" : `&after=${after}`}`);
      seen.push(...page.calls.map(({ id }) => id));
      await callAs("even", gateway.shop, { tool: "echo" });
      after = page.next;
    } while (after !== null);
    expect(seen).toHaveLength(13);
    expect(new Set(seen).size).toBe(13);
  });

  test.each([
    "after=x",
    "after=00000000-0",
    "limit=0",
    "limit=1.5",
    "route=nowhere",
    "outcome=fine",
    "outcome=__proto__",
  ])("%s is refused with a reason", async (query) => {
    await using gateway = await openServedGateway({ storesCalls });
    const { status, json } = await gateway.ask(`GET /api/calls?${query}`, undefined, await gateway.logIn());
    expect([status, json["error"]]).toEqual([400, "INVALID_INPUT"]);
  });

  test("keeps a bounded number of calls and bytes", async () => {
    await using gateway = await openServedGateway({ kit: { calls: { maxCalls: 10, maxTotalCharacters: 100_000 } } });
    for (let at = 0; at < 15; at++) await callAs(`agent-${at}`, gateway.shop, { tool: "echo" });
    const { calls } = await callsOf(gateway);
    expect(calls.map(({ agent }) => agent.agentId)).toEqual(Array.from({ length: 10 }, (_, at) => `agent-${14 - at}`));
    for (let at = 0; at < 9; at++) await callAs("big", gateway.shop, { tool: "big" });
    const { calls: left } = await callsOf(gateway);
    expect(left.length).toBeLessThan(7);
    expect((await gateway.ask(`GET /api/calls/${calls[0]?.id}`, undefined, await gateway.logIn())).status).toBe(404);
  });
});

describe("a call, opened", () => {
  test("has its input, its route and its result", async () => {
    await using gateway = await openServedGateway();
    await callAs("ann", gateway.shop, { tool: "echo", input: { text: "hi" } });
    const call = await opened(gateway, (await callsOf(gateway)).calls[0]?.id);
    expect(call).toMatchObject({ tool: "echo", input: { text: "hi" }, step: null });
    expect(call.result).toEqual({
      content: [{ type: "text", text: '{"text":"hi"}' }],
      structuredContent: { text: "hi" },
    });
    const steps = call.timeline.map(({ step }) => step);
    expect(steps).toEqual(expect.arrayContaining(["resolve", "check", "decide", "run", "verify"]));
    const decide = call.timeline.find(({ step }) => step === "decide");
    expect(decide?.decisions).toEqual([expect.objectContaining({ verdict: "allow" })]);
    const ends = call.timeline.map(({ endedMs }) => endedMs);
    expect(ends).toEqual([...ends].sort((a, b) => a - b));
  });

  test("in an episode has the reward of its step", async () => {
    await using gateway = await openServedGateway();
    const episode = await gateway.game.start();
    await gateway.game.call(episode, "add", { by: 3 });
    const { calls } = await callsOf(gateway, "?server=game");
    expect(await opened(gateway, calls[0]?.id)).toMatchObject({
      episode: episode.id,
      step: { reward: 3, stepCount: 1, terminated: true },
    });
  });

  test("is short, however large the call was", async () => {
    await using gateway = await openServedGateway();
    await callAs("ann", gateway.shop, { tool: "big" });
    await callAs("ann", gateway.shop, { tool: "echo", input: { text: "y".repeat(1_000_000) } });
    for (const { id } of (await callsOf(gateway)).calls) {
      const { text } = await gateway.ask(`GET /api/calls/${id}`, undefined, await gateway.logIn());
      expect(text.length).toBeLessThan(60_000);
      expect(text).toMatch(/… \(\d+ more characters\)/);
    }
  });

  test("does not keep calls that were rate limited", async () => {
    await using gateway = await openServedGateway();
    gateway.shop.govern({ limits: { perPrincipal: { perSecond: 0.001, burst: 1 } } });
    for (let at = 0; at < 2; at++) await callAs("ann", gateway.shop, { tool: "echo", input: { text: "again" } });
    const [last] = (await callsOf(gateway)).calls;
    expect(await opened(gateway, last?.id)).toMatchObject({ outcome: "RATE_LIMITED", input: null, result: null });
  });

  test.each(["x", "%00", "..%2f", "00000000-zzzzzzzzzzz", "a".repeat(3000)])("%s is no call", async (id) => {
    await using gateway = await openServedGateway();
    expect((await gateway.ask(`GET /api/calls/${id}`, undefined, await gateway.logIn())).status).toBe(404);
  });
});

test("a secret is nowhere in what is shown of calls, wherever a caller puts it", async () => {
  await using gateway = await openServedGateway();
  const mine = await gateway.logIn();
  await callAs("ann", gateway.shop, { tool: "echo", input: { text: secret, [secret]: 1 } });
  await callAs("ann", gateway.shop, { tool: "echo", input: { text: `${"z".repeat(15_990)}${secret}` } });
  await callAs("ann", gateway.shop, { tool: "fail", input: { text: secret } });
  await callAs("ann", gateway.shop, { tool: "leak" });
  await callAs(secret, gateway.shop, { tool: secret });
  await gateway.ask(`GET /api/resource?uri=shop://locked`, undefined, mine);
  const { calls } = await callsOf(gateway);
  expect(calls).toHaveLength(6);
  const texts = [JSON.stringify(calls)];
  for (const { id } of calls) texts.push((await gateway.ask(`GET /api/calls/${id}`, undefined, mine)).text);
  for (const text of texts) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(secret.slice(0, 12));
  }
  expect(texts.join("")).toContain("[REDACTED:TOKEN]");
});

describe("bounded JSON", () => {
  test("is JSON, and at most slightly longer than its limit", () => {
    fc.assert(
      fc.property(
        fc.anything({ maxDepth: 6, withNullPrototype: true }),
        fc.integer({ min: 50, max: 2000 }),
        (value, most) => {
          const json = boundedJson(value, most);
          JSON.parse(json);
          expect(json.length).toBeLessThan(most * 7 + 500);
        },
      ),
    );
  });

  test("returns a short value complete", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        expect(JSON.parse(boundedJson(value, 1_000_000))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test("ends even for an infinite value", () => {
    const round: unknown[] = [];
    round.push(round, round);
    expect(boundedJson(round, 1000).length).toBeLessThan(20_000);
    const nasty = {
      get boom(): never {
        throw new Error("no");
      },
    };
    expect(boundedJson(nasty, 1000)).toBe('"…"');
  });
});

describe("figures", () => {
  test("count by the second, and forget what is older than a minute", () => {
    let now = 1_000_000_000_000;
    const figures = new CallFigures(() => now);
    for (let at = 0; at < 50; at++) figures.end(at % 10 === 0, { isAsked: at % 20 === 10 });
    expect(figures.read()).toMatchObject({ calls: 50, errors: 5, asked: 2, callsPerSecond: 0 });
    now += 1000;
    expect(figures.read()).toMatchObject({ callsPerSecond: 10, errorsPerSecond: 1 });
    expect(figures.read().minute.at(-1)).toEqual({ calls: 50, errors: 5, asked: 2 });
    now += 59_000;
    expect(figures.read().minute[0]).toEqual({ calls: 50, errors: 5, asked: 2 });
    now += 1000;
    expect(figures.read().minute.every(({ calls }) => calls === 0)).toBe(true);
    expect(figures.read().calls).toBe(50);
  });

  test("go on when the clock is set back", () => {
    let now = 1_000_000_000_000;
    const figures = new CallFigures(() => now);
    figures.end(false);
    now -= 3_600_000;
    figures.end(false);
    now += 1000;
    expect(figures.read().minute.at(-1)).toEqual({ calls: 1, errors: 0, asked: 0 });
    now += 7_200_000;
    figures.end(true);
    expect(figures.read()).toMatchObject({ calls: 3, errors: 1 });
  });
});
