import { expect, test } from "vitest";
import { resource, server, tool } from "biplane";
import { cache, cachedKey } from "../../packages/core/src/client/cache.ts";
import type { CacheOptions } from "../../packages/core/src/client/cache.ts";
import { connect } from "biplane/client";
import type { Interceptor } from "../../packages/core/src/client/intercept.ts";
import { logging } from "../../packages/core/src/client/logging.ts";
import type { RequestLogEntry } from "../../packages/core/src/client/logging.ts";
import { timing, timingKey } from "../../packages/core/src/client/timing.ts";

/** A server that counts how often each of its tools has run. */
function counting() {
  const runs: string[] = [];
  const gateway = server({
    name: "counting",
    version: "1",
    limits: false,
    tools: {
      look: tool({
        description: "Reads",
        annotations: { readOnlyHint: true },
        input: { type: "object", additionalProperties: true },
        run: () => runs.push("look"),
      }),
      pay: tool({ description: "Pays", run: () => runs.push("pay") }),
      fail: tool({
        description: "Fails",
        annotations: { readOnlyHint: true },
        run: () => {
          runs.push("fail");
          throw new Error("it broke");
        },
      }),
    },
    resources: [resource({ name: "note", uri: "note://one", read: () => `read ${runs.push("note")}` })],
  });
  return { gateway, runs };
}

async function cached(options: CacheOptions) {
  const { gateway, runs } = counting();
  const client = await connect(gateway, { intercept: [cache(options)] });
  return { client, gateway, runs, [Symbol.asyncDispose]: () => client.close() };
}

test("interceptors wrap one another, the first outermost, and may change what goes out and comes back", async () => {
  const seen: string[] = [];
  const named =
    (name: string): Interceptor =>
    async (call, next) => {
      seen.push(`${name} before ${call.method}`);
      const result = await next({ ...call, params: { ...call.params, arguments: { by: name } } });
      seen.push(`${name} after`);
      return { ...result, last: name };
    };
  const { gateway } = counting();
  await using client = await connect(gateway, { intercept: [named("outer"), named("inner")] });
  expect(await client.callTool("look")).toMatchObject({ last: "outer" });
  expect(seen).toEqual(["outer before tools/call", "inner before tools/call", "inner after", "outer after"]);
});

test("logging writes a line for every request, and nothing that was in it", async () => {
  const lines: RequestLogEntry[] = [];
  let time = 0;
  const { gateway } = counting();
  const log = logging({ write: (line) => lines.push(line), now: () => (time += 5) });
  await using client = await connect(gateway, { intercept: [log] });
  await client.callTool("look", { password: "hush" });
  await client.callTool("fail");
  await client.readResource("note://none").catch(() => undefined);
  expect(lines).toMatchObject([
    { method: "tools/call", name: "look", durationMs: 5, outcome: "done" },
    { method: "tools/call", name: "fail", outcome: "failed" },
    { method: "resources/read", name: "note://none", outcome: "failed", error: expect.any(String) as string },
  ]);
  expect(JSON.stringify(lines)).not.toContain("hush");
});

test("timing is found in the result's meta, beside what was there", async () => {
  const times = [1000, 1250];
  const { gateway } = counting();
  await using client = await connect(gateway, { intercept: [timing({ now: () => times.shift() ?? 0 })] });
  const { _meta } = await client.callTool("look");
  expect(_meta?.[timingKey]).toEqual({ startedAt: "1970-01-01T00:00:01.000Z", durationMs: 250 });
  expect(_meta?.["io.modelcontextprotocol/serverInfo"]).toMatchObject({ name: "counting" });
});

test("the cache answers for what is marked, until the time is up", async () => {
  let now = 0;
  await using at = await cached({ ttlMs: 100, now: () => now });
  await at.client.callTool("look", { at: 1 });
  const again = await at.client.callTool("look", { at: 1 });
  expect(again._meta?.[cachedKey]).toBe(true);
  await at.client.callTool("look", { at: 2 });
  expect(at.runs).toEqual(["look", "look"]);
  now = 101;
  await at.client.callTool("look", { at: 1 });
  expect(at.runs).toHaveLength(3);
});

test("the cache keeps neither failures nor what is not marked", async () => {
  await using at = await cached({});
  for (const name of ["pay", "pay", "fail", "fail"]) await at.client.callTool(name);
  expect(at.runs).toEqual(["pay", "pay", "fail", "fail"]);
});

test("the cache forgets what a change is about, and only that", async () => {
  await using at = await cached({});
  const changed = new Promise((resolve) => void at.client.onChange(resolve));
  await at.client.callTool("look");
  await at.client.readResource("note://one");
  await at.client.listTools();
  at.gateway.add(tool({ name: "new", description: "New", run: () => "new" }));
  expect(await changed).toBe("tools");
  expect((await at.client.listTools()).map(({ name }) => name)).toContain("new");
  await at.client.callTool("look");
  await at.client.readResource("note://one");
  expect(at.runs).toEqual(["look", "note", "look"]);
});

test("a server's own word on how long a result is good for counts where it is shorter", async () => {
  let now = 0;
  await using at = await cached({ ttlMs: 1_000_000, now: () => now });
  await at.client.readResource("note://one"); // ours says five seconds
  now = 4999;
  await at.client.readResource("note://one");
  expect(at.runs).toHaveLength(1);
  now = 5001;
  await at.client.readResource("note://one");
  expect(at.runs).toHaveLength(2);
});

test("the cache does not grow without end", async () => {
  await using at = await cached({ maxEntries: 2 });
  for (const each of [1, 2, 3]) await at.client.callTool("look", { each });
  await at.client.callTool("look", { each: 3 });
  expect(at.runs).toHaveLength(3);
  await at.client.callTool("look", { each: 1 });
  expect(at.runs).toHaveLength(4);
});
