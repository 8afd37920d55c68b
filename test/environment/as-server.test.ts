import { expect, test } from "vitest";
import { environment, server } from "biplane";
import { connect } from "biplane/client";

const counter = () =>
  environment({
    name: "counter",
    start: () => ({ count: 0 }),
    observe: ({ count }) => ({ count }),
    tools: (tool) => ({
      count_up: tool({
        description: "Adds one",
        run: (_, call) => {
          call.state.count++;
        },
      }),
    }),
    status: ({ count }) => ({ terminated: count >= 2 }),
  });

const session = (name: string) => ({ session: name });

test("a mounted environment gives each caller an episode, and another after the end was reported", async () => {
  const gateway = server({ name: "tools" });
  const env = counter();
  gateway.mount("counter", env);
  const up = (name: string) => gateway.call("count_up", {}, session(name));
  expect(await up("a")).toEqual({ count: 1 });
  expect(await up("b")).toEqual({ count: 1 });
  expect(await up("a")).toEqual({ count: 2 });
  await expect(up("a")).rejects.toMatchObject({ code: "EPISODE_ENDED" });
  expect(await up("a")).toEqual({ count: 1 });
  expect(await up("b")).toEqual({ count: 2 });
  await gateway.close();
  await env.close();
});

test("an environment in a server in a server still has its episodes", async () => {
  const env = counter();
  const inner = server({ name: "inner" });
  inner.mount("counter", env);
  const outer = server({ name: "outer" });
  outer.mount("inner", inner, { prefix: "always" });
  expect(await outer.call("inner_count_up", {}, session("a"))).toEqual({ count: 1 });
  expect(await outer.call("inner_count_up", {}, session("b"))).toEqual({ count: 1 });
  await env.close();
});

test("concurrent first calls of one caller share the episode", async () => {
  const env = counter();
  const gateway = server({ name: "tools" });
  gateway.mount("counter", env);
  const both = await Promise.all([1, 2].map(() => gateway.call("count_up", {}, session("a"))));
  expect(both).toEqual([{ count: 1 }, { count: 2 }]);
  expect(env.episodes.size).toBe(1);
  await env.close();
});

test("a client connects to an environment in memory", async () => {
  const env = counter();
  const client = await connect(env);
  expect((await client.callTool("count_up", {})).structuredContent).toEqual({ count: 1 });
  expect((await client.callTool("count_up", {})).structuredContent).toEqual({ count: 2 });
  expect((await client.callTool("count_up", {})).isError).toBe(true);
  await client.close();
  await env.close();
});
