import { describe, expect, test } from "vitest";
import { environment, tool } from "biplane";
import type { CallWay, OpenedCall, WayAnswer } from "../../src/desk/contract.ts";
import { openServedHouse, secret } from "./served-house.ts";
import type { ServedHouse } from "./served-house.ts";

const plain: CallWay[] = ["mcp-2026-07-28", "mcp-2025-11-25", "execute", "code", "app"];
const all: CallWay[] = [...plain, "step"];

async function callBy(house: ServedHouse, wish: object): Promise<WayAnswer[]> {
  const { status, json, text } = await house.ask("POST /api/calls", wish, await house.logIn());
  expect([status, text]).toEqual([200, text]);
  return (json as unknown as { answers: WayAnswer[] }).answers;
}

describe("a tool called by every way", () => {
  test("comes to the same, in the words of each wire, in the person's name", async () => {
    await using house = await openServedHouse();
    const answers = await callBy(house, { server: "shop", tool: "echo", input: { text: "hi" }, ways: plain });
    expect(answers.map(({ way, outcome }) => [way, outcome])).toEqual(plain.map((way) => [way, "done"]));
    for (const { way, result } of answers)
      expect([way, result]).toEqual([
        way,
        { content: [{ type: "text", text: '{"text":"hi"}' }], structuredContent: { text: "hi" } },
      ]);
    const routes: Record<string, string> = { "mcp-2026-07-28": "mcp", "mcp-2025-11-25": "mcp" };
    for (const { way, call, durationMs } of answers) {
      const opened = (await house.ask(`GET /api/calls/${call}`, undefined, await house.logIn())).json;
      expect(opened as unknown as OpenedCall).toMatchObject({
        tool: "echo",
        route: routes[way] ?? way,
        agent: { agentId: "page" },
        principal: { kind: "person", id: "ada" },
        input: { text: "hi" },
      });
      expect(durationMs).toBeGreaterThan(0);
    }
    const [modern, legacy, execute, code, app] = answers.map(({ sent, received }) => ({ sent, received }));
    expect(JSON.parse(modern?.sent ?? "")).toMatchObject({
      method: "tools/call",
      params: { name: "echo", _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } },
    });
    expect(JSON.parse(modern?.received ?? "")).toMatchObject({ id: 1, result: { resultType: "complete" } });
    expect(JSON.parse(legacy?.received ?? "")).toMatchObject({ id: 1, result: { structuredContent: { text: "hi" } } });
    expect(legacy?.received).not.toContain("resultType");
    expect(execute?.sent).toMatch(/^POST \/mcp\/execute\n/);
    expect(execute?.received).toMatch(/^HTTP\/1\.1 200 OK\ncontent-type: application\/json\n[^]*"result": \{/);
    expect(code?.sent).toBe('await echo({\n  "text": "hi"\n})');
    expect(JSON.parse(code?.received ?? "")).toMatchObject({ result: { text: "hi" }, error: null });
    expect(JSON.parse(app?.received ?? "")).toMatchObject({ result: { structuredContent: { text: "hi" } } });
  });

  test("fails the same, and says so as each wire does", async () => {
    await using house = await openServedHouse();
    const answers = await callBy(house, { server: "shop", tool: "echo", input: { no: 1 }, ways: plain });
    const why = "Error: Invalid arguments for echo: has unknown property 'no'";
    const result = { content: [{ type: "text", text: why }], isError: true };
    for (const answer of answers) expect(answer).toMatchObject({ outcome: "INVALID_INPUT", result });
    const [modern, , execute, code] = answers.map(({ received }) => received);
    expect(JSON.parse(modern ?? "")).toMatchObject({ result: { isError: true } });
    expect(execute).toMatch(/^HTTP\/1\.1 400 Bad Request\n/);
    expect(JSON.parse(code ?? "")).toMatchObject({ error: { code: "INVALID_INPUT" } });
  });

  test("waits for nobody where a policy asks: the approval is left for another person", async () => {
    await using house = await openServedHouse();
    const answers = await callBy(house, { server: "shop", tool: "ask.first", ways: plain });
    expect(answers.map(({ outcome }) => outcome)).toEqual(plain.map(() => "APPROVAL_PENDING"));
    const { json } = await house.ask("GET /api/overview", undefined, await house.logIn());
    expect(json["figures"]).toMatchObject({ approvalsWaiting: 1 });
  });

  test("shows no secret in either direction, and nothing without end", async () => {
    await using house = await openServedHouse();
    const told = await callBy(house, { server: "shop", tool: "echo", input: { text: `my ${secret}` }, ways: plain });
    const leaked = await callBy(house, { server: "shop", tool: "leak", ways: plain });
    for (const answer of [...told, ...leaked]) {
      expect(JSON.stringify(answer)).not.toContain(secret);
      expect(answer.received).toContain("[REDACTED:TOKEN]");
    }
    const big = await callBy(house, { server: "shop", tool: "big", ways: plain });
    for (const { sent, received, way, outcome } of big) {
      expect([way, outcome]).toEqual([way, "done"]);
      expect(sent.length + received.length).toBeLessThan(200_000);
    }
  });

  test("with odd names and keys reaches the tool as it was meant", async () => {
    await using house = await openServedHouse();
    house.shop.add(
      tool({
        name: "odd.name-1",
        input: { type: "object", additionalProperties: true },
        idempotent: true,
        run: (input) => Object.entries(input),
      }),
    );
    const input = '{"__proto__":{"a":1},"constructor":2,"\u2028":"\\ud83d\\ude00","`${x}`":"*/"}';
    const body = `{"server":"shop","tool":"odd.name-1","input":${input},"ways":${JSON.stringify(plain)}}`;
    const { json } = await house.ask("POST /api/calls", body, await house.logIn());
    const { answers } = json as unknown as { answers: WayAnswer[] };
    const values = answers.map(({ way, result }) => [way, result?.structuredContent]);
    const expected = Object.entries(JSON.parse(input) as object);
    expect(values).toEqual(plain.map((way) => [way, expected]));
  });
});

describe("in an episode", () => {
  test("several ways each get a fork of it, and the episode stays where it is", async () => {
    await using house = await openServedHouse();
    const episode = await house.game.start();
    await house.game.call(episode, "add", { by: 1 });
    const wish = { server: "game", tool: "add", input: { by: 1 }, ways: all, episode: episode.id };
    const answers = await callBy(house, wish);
    expect(answers.map(({ way, outcome }) => [way, outcome])).toEqual(all.map((way) => [way, "done"]));
    for (const { way, result } of answers) expect([way, result?.structuredContent]).toEqual([way, { count: 2 }]);
    expect(episode.stepCount).toBe(1);
    expect(house.game.episodes.size).toBe(1);
    const step = answers.find(({ way }) => way === "step");
    expect(JSON.parse(step?.sent ?? "")).toMatchObject({ type: "step", data: { by: 1 } });
    expect(JSON.parse(step?.received ?? "")).toMatchObject({ type: "observation", data: { reward: 2, done: false } });
    expect(answers.find(({ way }) => way === "execute")?.sent).toMatch(/^POST \/env\/game\/mcp\/execute\n/);
  });

  test.each(all)("a single way, %s, is a step of the episode itself", async (way) => {
    await using house = await openServedHouse();
    const episode = await house.game.start();
    const wish = { server: "game", tool: "add", input: { by: 2 }, ways: [way], episode: episode.id };
    const [answer] = await callBy(house, wish);
    expect(answer).toMatchObject({ way, outcome: "done" });
    expect([episode.stepCount, episode.totalReward]).toEqual([1, 2]);
    const call = (await house.ask(`GET /api/calls/${answer?.call}`, undefined, await house.logIn())).json;
    expect(call).toMatchObject({ episode: episode.id, step: { reward: 2, stepCount: 1 } });
    expect(house.game.episodes.find(episode.id)).toBe(episode);
  });

  test("that is over, every way says so", async () => {
    await using house = await openServedHouse();
    const episode = await house.game.start();
    await house.game.call(episode, "add", { by: 3 });
    const wish = { server: "game", tool: "add", input: { by: 1 }, ways: all, episode: episode.id };
    expect((await callBy(house, wish)).map(({ outcome }) => outcome)).toEqual(all.map(() => "EPISODE_ENDED"));
  });

  test("an action that does not fit is the error frame that trainers know", async () => {
    await using house = await openServedHouse();
    const episode = await house.game.start();
    const wish = { server: "game", tool: "add", input: { by: "x" }, ways: ["step"], episode: episode.id };
    const [answer] = await callBy(house, wish);
    expect(answer).toMatchObject({ outcome: "INVALID_INPUT", result: { isError: true } });
    expect(JSON.parse(answer?.received ?? "")).toMatchObject({ type: "error", data: { code: "VALIDATION_ERROR" } });
  });
});

describe("what is refused", () => {
  test("several ways for a tool that may change something, where there is no episode to fork", async () => {
    await using house = await openServedHouse();
    const mine = await house.logIn();
    const several = { server: "shop", tool: "sell", ways: ["execute", "app"] };
    const refused = await house.ask("POST /api/calls", several, mine);
    expect(refused.status).toBe(400);
    expect(refused.json["message"]).toContain("one way at a time");
    const [once] = await callBy(house, { ...several, ways: ["app"] });
    expect(once?.result?.structuredContent).toEqual({ sold: 1 });
  });

  test("an app's call of a tool that is not for apps", async () => {
    await using house = await openServedHouse();
    const mine = await house.logIn();
    const { status, json } = await house.ask("POST /api/calls", { server: "shop", tool: "ring", ways: ["app"] }, mine);
    expect([status, json["error"]]).toEqual([403, "POLICY_DENIED"]);
    expect(await callBy(house, { server: "shop", tool: "ring", ways: ["execute"] })).toMatchObject([
      { outcome: "done" },
    ]);
    expect(house.desk.log.list({ route: "app" }, { limit: 10 }).calls).toEqual([]);
  });

  test("forks of what cannot be forked", async () => {
    await using house = await openServedHouse();
    const live = environment({
      name: "live",
      version: "1",
      open: () => ({ handle: 1 }),
      start: () => ({}),
      observe: () => ({}),
      tools: (define) => ({ go: define({ run: () => "went" }) }),
    });
    const episode = await live.start();
    const { callByWays } = await import("../../src/desk/ways.ts");
    const { Wires } = await import("../../src/desk/ways/wires.ts");
    await using wires = new Wires();
    const go = live.server.find("go");
    if (!go) throw new Error("there is no go");
    const by = { kind: "person" as const, id: "ada", scopes: [] };
    const wish = { served: live, tool: go, input: {}, ways: ["execute", "app"] as const, episode, by, base: "" };
    await expect(callByWays(wish, { wires, log: house.desk.log })).rejects.toMatchObject({ code: "NOT_SUPPORTED" });
    expect(live.episodes.size).toBe(1);
    await live.close();
  });

  test.each<[string, unknown, number]>([
    ["a list", [], 400],
    ["nothing", {}, 400],
    ["an unknown key", { server: "shop", tool: "echo", ways: ["app"], more: 1 }, 400],
    ["an unknown server", { server: "nobody", tool: "echo", ways: ["app"] }, 400],
    ["an unknown tool", { server: "shop", tool: "nothing", ways: ["app"] }, 404],
    ["no way", { server: "shop", tool: "echo", ways: [] }, 400],
    ["an unknown way", { server: "shop", tool: "echo", ways: ["carrier pigeon"] }, 400],
    ["a way of the prototype", { server: "shop", tool: "echo", ways: ["toString"] }, 400],
    ["a way twice", { server: "shop", tool: "echo", ways: ["app", "app"] }, 400],
    ["a list as input", { server: "shop", tool: "echo", ways: ["app"], input: [] }, 400],
    ["null as input", { server: "shop", tool: "echo", ways: ["app"], input: null }, 400],
    ["a step without episodes", { server: "shop", tool: "echo", ways: ["step"] }, 501],
    ["an environment without an episode", { server: "game", tool: "add", ways: ["app"] }, 400],
    ["an episode of nobody", { server: "game", tool: "add", ways: ["app"], episode: "none" }, 400],
    ["an episode that is a number", { server: "game", tool: "add", ways: ["app"], episode: 1 }, 400],
  ])("%s, in words", async (_, wish, status) => {
    await using house = await openServedHouse();
    const answer = await house.ask("POST /api/calls", wish, await house.logIn());
    expect([answer.status, typeof answer.json["message"]]).toEqual([status, "string"]);
    expect(house.faults).toEqual([]);
  });
});
