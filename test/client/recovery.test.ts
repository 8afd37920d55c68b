import { describe, expect, test } from "vitest";
import { server, tool } from "biplane";
import type { Server } from "biplane";
import { connect } from "biplane/client";
import type { CatalogChange } from "../../packages/core/src/server/catalog.ts";
import { listen } from "../support/serving.ts";
import { patienceMs, within } from "../support/within.ts";
import { Interruptible } from "./interruptible.ts";

const atOnce = { sleep: async () => undefined, random: () => 0 };

/** A server whose tools tell when they have begun, and of which the first call never ends. */
function stubborn(): { gateway: Server; begun: Promise<void>; calls: string[] } {
  let tell: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const calls: string[] = [];
  const run = (name: string) => () => {
    calls.push(name);
    tell();
    return calls.length === 1 ? new Promise<string>(() => undefined) : `${name} done`;
  };
  const options = { timeoutMs: 60_000 };
  const gateway = server({
    name: "stubborn",
    version: "1",
    limits: false,
    tools: {
      look: tool({ description: "Reads", annotations: { readOnlyHint: true }, ...options, run: run("look") }),
      put: tool({ description: "Sets", idempotent: true, ...options, run: run("put") }),
      pay: tool({ description: "Pays", ...options, run: run("pay") }),
      rest: tool({ description: "Nothing", run: () => "rested" }),
    },
  });
  return { gateway, begun, calls };
}

describe.each([
  ["http", "modern"],
  ["http", "legacy"],
  ["ws", "modern"],
  ["ws", "legacy"],
] as const)("when a %s connection of the %s era is cut in the middle of a call", (scheme, era) => {
  test.each(["look", "put"])("%s, which is marked, is done again", async (name) => {
    const { gateway, begun, calls } = stubborn();
    await using served = await listen(gateway, { graceMs: 10 });
    await using wire = await Interruptible.to(served.port);
    await using client = await connect(`${scheme}://127.0.0.1:${wire.port}/mcp`, { era, ...atOnce });
    const called = client.callTool(name);
    await within(patienceMs, "the call", begun);
    wire.cut();
    expect(await called).toMatchObject({ content: [{ text: `${name} done` }] });
    expect(calls).toEqual([name, name]);
  });

  test("pay, which is not, is not, and the error says so", async () => {
    const { gateway, begun, calls } = stubborn();
    await using served = await listen(gateway, { graceMs: 10 });
    await using wire = await Interruptible.to(served.port);
    await using client = await connect(`${scheme}://127.0.0.1:${wire.port}/mcp`, { era, ...atOnce });
    const called = client.callTool("pay");
    await within(patienceMs, "the call", begun);
    wire.cut();
    await expect(called).rejects.toMatchObject({
      code: "EXECUTION_ERROR",
      message: expect.stringContaining(
        'tools/call "pay" is not marked idempotent or read-only. It may have been executed, and was not retried.',
      ) as string,
      details: { delivered: "unknown", notRetried: { method: "tools/call", name: "pay" } },
    });
    expect(calls).toEqual(["pay"]);
    expect(await client.callTool("rest")).toMatchObject({ content: [{ text: "rested" }] }); // and life goes on
  });
});

describe("when a server has forgotten the session", () => {
  test("reads go on in a new one, and what is not marked is refused with a reason", async () => {
    const { gateway, calls } = stubborn();
    calls.push("so that the next call ends");
    await using served = await listen(gateway);
    const sessions = new Set<string>();
    const watching = async (url: string | URL, init?: RequestInit) => {
      const session = new Headers(init?.headers).get("mcp-session-id");
      if (session !== null) sessions.add(session);
      return fetch(url, init);
    };
    await using client = await connect(served.mcp, { era: "legacy", fetch: watching, reconnect: { delayMs: 1 } });
    const forget = async () => {
      for (const session of sessions)
        await fetch(served.mcp, { method: "DELETE", headers: { "mcp-session-id": session } });
    };
    await client.listTools();
    await forget();
    expect(await client.listResources()).toEqual([]);
    await forget();
    await expect(client.callTool("pay")).rejects.toMatchObject({
      message: expect.stringContaining("It was not executed, and was not retried in the new session.") as string,
      details: { delivered: "refused" },
    });
    expect(await client.callTool("pay")).toMatchObject({ content: [{ text: "pay done" }] });
    expect(calls).toEqual(["so that the next call ends", "pay"]);
    expect(sessions.size).toBe(3);
  });

  test("a call of the newer era, which has no sessions, notices nothing", async () => {
    const first = stubborn();
    const served = await listen(first.gateway, { graceMs: 10 });
    await using wire = await Interruptible.to(served.port);
    await using client = await connect(`http://127.0.0.1:${wire.port}/mcp`, { era: "modern", ...atOnce });
    const second = stubborn();
    await using again = await listen(second.gateway, { graceMs: 10 });
    wire.cut(again.port);
    await served[Symbol.asyncDispose]();
    expect(await client.callTool("rest")).toMatchObject({ content: [{ text: "rested" }] });
  });
});

test("a stream of the older era is picked up where it broke off, and nothing is done twice", async () => {
  let go: () => void = () => undefined;
  let count = 0;
  const gateway = server({
    name: "slow",
    version: "1",
    limits: false,
    tools: {
      work: tool({
        description: "Works",
        timeoutMs: 60_000,
        run: (_, call) => {
          count++;
          call.progress(1);
          return new Promise<string>((resolve) => {
            go = () => resolve("worked");
          });
        },
      }),
    },
  });
  await using served = await listen(gateway, { graceMs: 10 });
  await using wire = await Interruptible.to(served.port);
  const resumed: (string | null)[] = [];
  const watching = async (url: string | URL, init?: RequestInit) => {
    const lastEventId = new Headers(init?.headers).get("last-event-id");
    if (lastEventId !== null) resumed.push(lastEventId);
    return fetch(url, init);
  };
  const url = `http://127.0.0.1:${wire.port}/mcp`;
  await using client = await connect(url, { era: "legacy", fetch: watching, ...atOnce });
  let tell: () => void = () => undefined;
  const progressed = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const called = client.callTool("work", {}, { onProgress: () => tell() });
  await within(patienceMs, "the progress", progressed);
  wire.cut();
  go();
  expect(await within(patienceMs, "the result", called)).toMatchObject({ content: [{ text: "worked" }] });
  expect(count).toBe(1);
  expect(resumed.length).toBeGreaterThan(0);
});

test.each(["modern", "legacy"] as const)("subscriptions of the %s era outlive a cut", async (era) => {
  const { gateway } = stubborn();
  await using served = await listen(gateway, { graceMs: 10 });
  await using wire = await Interruptible.to(served.port);
  await using client = await connect(`ws://127.0.0.1:${wire.port}/mcp`, { era, ...atOnce });
  const heard: CatalogChange[] = [];
  let tell: () => void = () => undefined;
  await client.onChange((change) => {
    heard.push(change);
    tell();
  });
  const restored = new Promise<void>((resolve) => {
    tell = resolve;
  });
  wire.cut();
  await within(patienceMs, "the new connection", restored); // all may have changed in the meantime
  const told = new Promise<void>((resolve) => {
    tell = () => heard.at(-1) === "prompts" || resolve();
  });
  heard.length = 0;
  gateway.add(tool({ name: "new", description: "New", run: () => "new" }));
  await within(patienceMs, "the change", told);
  expect(heard).toContain("tools");
});

test("a server that is away is tried again with longer and longer pauses, and then given up", async () => {
  const { gateway } = stubborn();
  const served = await listen(gateway, { graceMs: 10 });
  const pauses: number[] = [];
  const sleep = async (ms: number) => void pauses.push(ms);
  const reconnect = { attempts: 4, delayMs: 100, maxDelayMs: 300 };
  await using client = await connect(served.socket, { sleep, random: () => 1, reconnect });
  await served[Symbol.asyncDispose]();
  await expect(client.callTool("rest")).rejects.toThrow(/Cannot reach|ended/);
  await expect(client.callTool("rest")).rejects.toThrow("Cannot reach");
  expect(pauses.slice(0, 4)).toEqual([100, 200, 300, 300]);
});

test("a first connection that fails says why at once", async () => {
  const gone = await listen(stubborn().gateway);
  await gone[Symbol.asyncDispose]();
  await expect(connect(gone.mcp)).rejects.toThrow(`Cannot reach ${gone.mcp} (ECONNREFUSED)`);
  await expect(connect("ftp://example.com")).rejects.toThrow('Cannot connect to "ftp://example.com"');
});

test.each([503, 429])(
  "a server that answers the first request with %i is not taken for one of another era",
  async (status) => {
    const { gateway } = stubborn();
    await using served = await listen(gateway);
    let isBusy = true;
    const busyOnce = async (url: string | URL, init?: RequestInit) => {
      if (!isBusy) return fetch(url, init);
      isBusy = false;
      return new Response("", { status });
    };
    const options = { era: "modern", fetch: busyOnce, ...atOnce } as const;
    await expect(connect(served.mcp, options)).rejects.toMatchObject({
      code: status === 503 ? "CAPACITY" : "RATE_LIMITED",
    });
    await using client = await connect(served.mcp, options);
    expect(await client.callTool("rest")).toMatchObject({ content: [{ text: "rested" }] });
  },
);
