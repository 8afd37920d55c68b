import { serverOf } from "@biplane/core/internal";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { environment, server, tool } from "biplane";
import type { Principal, ServerOptions } from "biplane";
import { LiveCall } from "../../packages/core/src/call/live-call.ts";
import type { CallRequest } from "../../packages/core/src/call/live-call.ts";

const agent = { agentId: "a", model: undefined, requestId: "r", metadata: {} };
const someone: Principal = { kind: "anonymous", id: "10.0.0.1", scopes: [] };

function gateway(options: Partial<ServerOptions>) {
  const tools = { go: tool({ run: () => "went" }), other: tool({ run: () => "other" }) };
  const subject = server({ name: "s", version: "1", tools, ...options });
  const code = async (request: Partial<CallRequest> = {}) => {
    const outcome = await serverOf(subject).perform(
      new LiveCall({ tool: "go", input: {}, route: "mcp", agent, principal: someone, ...request }),
    );
    return outcome.status === "failed" ? outcome.error.code : outcome.status;
  };
  const count = async (calls: number, request: Partial<CallRequest> = {}) => {
    const codes: string[] = [];
    for (let at = 0; at < calls; at++) codes.push(await code(request));
    return codes.filter((each) => each === "done").length;
  };
  return { code, count };
}

describe("rates", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const limits = { perPrincipal: { perSecond: 10, burst: 20 } };

  test("the library limits nothing unless asked", async () => {
    expect(await gateway({}).count(100)).toBe(100);
    expect(await gateway({ limits: {} }).count(100)).toBe(100);
  });

  test("a caller has its burst at once and its rate afterwards", async () => {
    const { count } = gateway({ limits });
    expect(await count(30)).toBe(20);
    vi.advanceTimersByTime(1000);
    expect(await count(30)).toBe(10);
    vi.advanceTimersByTime(60_000);
    expect(await count(30)).toBe(20);
  });

  test("each caller has a rate of its own", async () => {
    const { count } = gateway({ limits });
    await count(30);
    expect(await count(5, { principal: { ...someone, id: "10.0.0.2" } })).toBe(5);
  });

  test("a caller over stdio is limited as well", async () => {
    expect(await gateway({ limits }).count(30, { principal: { kind: "local", id: "me", scopes: [] } })).toBe(20);
  });

  test("a call from this process is exempt", async () => {
    expect(await gateway({ limits }).count(100, { route: "direct" })).toBe(100);
  });

  test("a step of an episode is not counted in simulation, and is in production", async () => {
    const played = async (mode: "simulation" | "production") => {
      const game = environment({
        name: "g",
        version: "1",
        mode,
        limits,
        start: () => ({}),
        observe: () => ({}),
        tools: (define) => ({ go: define({ run: () => "went" }) }),
      });
      const episode = await game.start();
      const one = () =>
        game.server.perform(
          new LiveCall({ tool: "go", input: {}, route: "mcp", agent, principal: someone, scope: () => episode }),
        );
      const outcomes: Awaited<ReturnType<typeof one>>[] = [];
      for (let at = 0; at < 50; at++) outcomes.push(await one());
      return outcomes.filter(({ status }) => status === "done").length;
    };
    expect(await played("simulation")).toBe(50);
    expect(await played("production")).toBe(20);
  });

  test("a tool and all calls together may have limits of their own", async () => {
    const { count } = gateway({
      limits: { perPrincipal: false, perTool: { go: { perSecond: 1, burst: 3 } }, global: { perSecond: 1, burst: 5 } },
    });
    expect(await count(10)).toBe(3);
    expect(await count(10, { tool: "other" })).toBe(2);
  });

  test("false means no limits", async () => {
    expect(await gateway({ limits: false }).count(1000)).toBe(1000);
  });
});

test("only so many calls run at the same time", async () => {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const { code } = gateway({
    tools: { go: tool({ run: () => held }) },
    limits: { perPrincipal: false, concurrency: { perPrincipal: 2 } },
  });
  const running = [code(), code()];
  expect(await code()).toBe("RATE_LIMITED");
  expect(await code({ principal: { ...someone, id: "other" }, tool: "nonsense" })).toBe("TOOL_NOT_FOUND");
  release();
  expect(await Promise.all(running)).toEqual(["done", "done"]);
  expect(await code()).toBe("done");
});

test("each protocol reports the limit in its own format", async () => {
  const subject = server({
    name: "s",
    version: "1",
    tools: { go: tool({ run: () => "went" }) },
    limits: { perPrincipal: { perSecond: 0.5, burst: 1 } },
  });
  const { url } = await subject.serve("http://127.0.0.1:0");
  const execute = () => fetch(`${url}/mcp/execute`, { method: "POST", body: '{"tool":"go"}' });
  expect((await execute()).status).toBe(200);
  const refused = await execute();
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "2"]);
  const rpc = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"go"}}',
  });
  expect(await rpc.json()).toEqual({
    jsonrpc: "2.0",
    id: 1,
    error: {
      code: -32000,
      message: "Rate limit exceeded. Please try again later.",
      data: { "dev.biplane/error": { code: "RATE_LIMITED", retryAfterMs: expect.any(Number) as number } },
    },
  });
  await subject.close();
});
