import { describe, expect, test } from "vitest";
import { environment, tool } from "biplane";
import type { CallVia } from "../../packages/biplane/src/admin/try-call/call-vias.ts";
import type { CallDetail, CallViaResult } from "../../packages/biplane/src/admin/calls/call-api.ts";
import { openServedGateway, secret } from "./admin-server.ts";
import type { ServedGateway } from "./admin-server.ts";

const plain: CallVia[] = ["mcp-2026-07-28", "mcp-2025-11-25", "execute", "code", "app"];
const all: CallVia[] = [...plain, "step"];

async function callBy(gateway: ServedGateway, request: object): Promise<CallViaResult[]> {
  const { status, json, text } = await gateway.ask("POST /api/calls", request, await gateway.logIn());
  expect([status, text]).toEqual([200, text]);
  return (json as unknown as { results: CallViaResult[] }).results;
}

describe("a tool called over every protocol", () => {
  test("gives the same result in the format of each protocol, in the person's name", async () => {
    await using gateway = await openServedGateway();
    const answers = await callBy(gateway, { server: "shop", tool: "echo", input: { text: "hi" }, via: plain });
    expect(answers.map(({ via, outcome }) => [via, outcome])).toEqual(plain.map((via) => [via, "done"]));
    for (const { via, result } of answers)
      expect([via, result]).toEqual([
        via,
        { content: [{ type: "text", text: '{"text":"hi"}' }], structuredContent: { text: "hi" } },
      ]);
    const routes: Record<string, string> = { "mcp-2026-07-28": "mcp", "mcp-2025-11-25": "mcp" };
    for (const { via, call, durationMs } of answers) {
      const opened = (await gateway.ask(`GET /api/calls/${call}`, undefined, await gateway.logIn())).json;
      expect(opened as unknown as CallDetail).toMatchObject({
        tool: "echo",
        route: routes[via] ?? via,
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

  test("fails alike, in the error format of each protocol", async () => {
    await using gateway = await openServedGateway();
    const answers = await callBy(gateway, { server: "shop", tool: "echo", input: { no: 1 }, via: plain });
    const why = "Error: Invalid arguments for echo: has unknown property 'no'";
    const result = { content: [{ type: "text", text: why }], isError: true };
    for (const answer of answers) expect(answer).toMatchObject({ outcome: "INVALID_INPUT", result });
    const [modern, , execute, code] = answers.map(({ received }) => received);
    expect(JSON.parse(modern ?? "")).toMatchObject({ result: { isError: true } });
    expect(execute).toMatch(/^HTTP\/1\.1 400 Bad Request\n/);
    expect(JSON.parse(code ?? "")).toMatchObject({ error: { code: "INVALID_INPUT" } });
  });

  test("does not wait where a policy asks: the approval stays pending for another person", async () => {
    await using gateway = await openServedGateway();
    const answers = await callBy(gateway, { server: "shop", tool: "ask.first", via: plain });
    expect(answers.map(({ outcome }) => outcome)).toEqual(plain.map(() => "APPROVAL_PENDING"));
    const { json } = await gateway.ask("GET /api/overview", undefined, await gateway.logIn());
    expect(json["figures"]).toMatchObject({ approvalsWaiting: 1 });
  });

  test("shows no secret in either direction, and bounds what it shows", async () => {
    await using gateway = await openServedGateway();
    const told = await callBy(gateway, { server: "shop", tool: "echo", input: { text: `my ${secret}` }, via: plain });
    const leaked = await callBy(gateway, { server: "shop", tool: "leak", via: plain });
    for (const answer of [...told, ...leaked]) {
      expect(JSON.stringify(answer)).not.toContain(secret);
      expect(answer.received).toContain("[REDACTED:TOKEN]");
    }
    const big = await callBy(gateway, { server: "shop", tool: "big", via: plain });
    for (const { sent, received, via, outcome } of big) {
      expect([via, outcome]).toEqual([via, "done"]);
      expect(sent.length + received.length).toBeLessThan(200_000);
    }
  });

  test("with odd names and keys reaches the tool unchanged", async () => {
    await using gateway = await openServedGateway();
    gateway.shop.add(
      tool({
        name: "odd.name-1",
        input: { type: "object", additionalProperties: true },
        idempotent: true,
        run: (input) => Object.entries(input),
      }),
    );
    const input = '{"__proto__":{"a":1},"constructor":2,"\u2028":"\\ud83d\\ude00","`${x}`":"*/"}';
    const body = `{"server":"shop","tool":"odd.name-1","input":${input},"via":${JSON.stringify(plain)}}`;
    const { json } = await gateway.ask("POST /api/calls", body, await gateway.logIn());
    const { results: answers } = json as unknown as { results: CallViaResult[] };
    const values = answers.map(({ via, result }) => [via, result?.structuredContent]);
    const expected = Object.entries(JSON.parse(input) as object);
    expect(values).toEqual(plain.map((via) => [via, expected]));
  });
});

describe("in an episode", () => {
  test("several via each get a fork of it, and the episode stays where it is", async () => {
    await using gateway = await openServedGateway();
    const episode = await gateway.game.start();
    await gateway.game.call(episode, "add", { by: 1 });
    const request = { server: "game", tool: "add", input: { by: 1 }, via: all, episode: episode.id };
    const answers = await callBy(gateway, request);
    expect(answers.map(({ via, outcome }) => [via, outcome])).toEqual(all.map((via) => [via, "done"]));
    for (const { via, result } of answers) expect([via, result?.structuredContent]).toEqual([via, { count: 2 }]);
    expect(episode.stepCount).toBe(1);
    expect(gateway.game.episodes.size).toBe(1);
    const step = answers.find(({ via }) => via === "step");
    expect(JSON.parse(step?.sent ?? "")).toMatchObject({ type: "step", data: { by: 1 } });
    expect(JSON.parse(step?.received ?? "")).toMatchObject({ type: "observation", data: { reward: 2, done: false } });
    expect(answers.find(({ via }) => via === "execute")?.sent).toMatch(/^POST \/env\/game\/mcp\/execute\n/);
  });

  test.each(all)("a single via, %s, is a step of the episode itself", async (via) => {
    await using gateway = await openServedGateway();
    const episode = await gateway.game.start();
    const request = { server: "game", tool: "add", input: { by: 2 }, via: [via], episode: episode.id };
    const [answer] = await callBy(gateway, request);
    expect(answer).toMatchObject({ via, outcome: "done" });
    expect([episode.stepCount, episode.totalReward]).toEqual([1, 2]);
    const call = (await gateway.ask(`GET /api/calls/${answer?.call}`, undefined, await gateway.logIn())).json;
    expect(call).toMatchObject({ episode: episode.id, step: { reward: 2, stepCount: 1 } });
    expect(gateway.game.episodes.find(episode.id)).toBe(episode);
  });

  test("that has ended, every protocol reports it", async () => {
    await using gateway = await openServedGateway();
    const episode = await gateway.game.start();
    await gateway.game.call(episode, "add", { by: 3 });
    const request = { server: "game", tool: "add", input: { by: 1 }, via: all, episode: episode.id };
    expect((await callBy(gateway, request)).map(({ outcome }) => outcome)).toEqual(all.map(() => "EPISODE_ENDED"));
  });

  test("an action that does not match the schema is an OpenEnv error frame", async () => {
    await using gateway = await openServedGateway();
    const episode = await gateway.game.start();
    const request = { server: "game", tool: "add", input: { by: "x" }, via: ["step"], episode: episode.id };
    const [answer] = await callBy(gateway, request);
    expect(answer).toMatchObject({ outcome: "INVALID_INPUT", result: { isError: true } });
    expect(JSON.parse(answer?.received ?? "")).toMatchObject({ type: "error", data: { code: "VALIDATION_ERROR" } });
  });
});

describe("what is refused", () => {
  test("several via for a tool that may change something, where there is no episode to fork", async () => {
    await using gateway = await openServedGateway();
    const mine = await gateway.logIn();
    const several = { server: "shop", tool: "sell", via: ["execute", "app"] };
    const refused = await gateway.ask("POST /api/calls", several, mine);
    expect(refused.status).toBe(400);
    expect(refused.json["message"]).toContain("one transport at a time");
    const [once] = await callBy(gateway, { ...several, via: ["app"] });
    expect(once?.result?.structuredContent).toEqual({ sold: 1 });
  });

  test("an app's call of a tool that is not for apps", async () => {
    await using gateway = await openServedGateway();
    const mine = await gateway.logIn();
    const { status, json } = await gateway.ask("POST /api/calls", { server: "shop", tool: "ring", via: ["app"] }, mine);
    expect([status, json["error"]]).toEqual([403, "FORBIDDEN"]);
    expect(await callBy(gateway, { server: "shop", tool: "ring", via: ["execute"] })).toMatchObject([
      { outcome: "done" },
    ]);
    expect(gateway.kit.log.list({ route: "app" }, { limit: 10 }).calls).toEqual([]);
  });

  test("forks of what cannot be forked", async () => {
    await using gateway = await openServedGateway();
    const live = environment({
      name: "live",
      version: "1",
      open: () => ({ handle: 1 }),
      start: () => ({}),
      observe: () => ({}),
      tools: (define) => ({ go: define({ run: () => "went" }) }),
    });
    const episode = await live.start();
    const { callVia } = await import("../../packages/biplane/src/admin/try-call/call-via.ts");
    const { ViaTransports } = await import("../../packages/biplane/src/admin/try-call/transports.ts");
    await using transports = new ViaTransports();
    const go = live.server.find("go");
    if (!go) throw new Error("there is no go");
    const by = { kind: "person" as const, id: "ada", scopes: [] };
    const request = { served: live, tool: go, input: {}, via: ["execute", "app"] as const, episode, by, base: "" };
    await expect(callVia(request, { transports, log: gateway.kit.log })).rejects.toMatchObject({
      code: "NOT_SUPPORTED",
    });
    expect(live.episodes.size).toBe(1);
    await live.close();
  });

  test.each<[string, unknown, number]>([
    ["a list", [], 400],
    ["nothing", {}, 400],
    ["an unknown key", { server: "shop", tool: "echo", via: ["app"], more: 1 }, 400],
    ["an unknown server", { server: "nobody", tool: "echo", via: ["app"] }, 400],
    ["an unknown tool", { server: "shop", tool: "nothing", via: ["app"] }, 404],
    ["no via", { server: "shop", tool: "echo", via: [] }, 400],
    ["an unknown via", { server: "shop", tool: "echo", via: ["carrier pigeon"] }, 400],
    ["a via of the prototype", { server: "shop", tool: "echo", via: ["toString"] }, 400],
    ["a via twice", { server: "shop", tool: "echo", via: ["app", "app"] }, 400],
    ["a list as input", { server: "shop", tool: "echo", via: ["app"], input: [] }, 400],
    ["null as input", { server: "shop", tool: "echo", via: ["app"], input: null }, 400],
    ["a step without episodes", { server: "shop", tool: "echo", via: ["step"] }, 501],
    ["an environment without an episode", { server: "game", tool: "add", via: ["app"] }, 400],
    ["an episode of nobody", { server: "game", tool: "add", via: ["app"], episode: "none" }, 400],
    ["an episode that is a number", { server: "game", tool: "add", via: ["app"], episode: 1 }, 400],
  ])("%s, with a reason", async (_, request, status) => {
    await using gateway = await openServedGateway();
    const answer = await gateway.ask("POST /api/calls", request, await gateway.logIn());
    expect([answer.status, typeof answer.json["message"]]).toEqual([status, "string"]);
    expect(gateway.faults).toEqual([]);
  });
});
