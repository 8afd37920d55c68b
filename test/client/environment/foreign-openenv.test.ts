import { callTool, connectEnvironment, listTools } from "biplane/client";
import { expect, test } from "vitest";
import { ForeignOpenEnv } from "./foreign-openenv.ts";

test("OpenEnv's own server is played over its socket, frame by frame", async () => {
  await using server = await ForeignOpenEnv.open();
  const client = await connectEnvironment(server.url);
  const { observation, tools } = await client.reset({ seed: 7, episodeId: "ep", config: { level: 2 } });
  expect([observation, tools.map(({ name }) => name)]).toEqual([{}, ["echo_message"]]);
  expect(await client.step(callTool("echo_message", { message: "hi" }))).toMatchObject({
    observation: "hi",
    content: [{ type: "text", text: "hi" }],
    reward: null,
    done: false,
  });
  expect((await client.step(callTool("nope"))).error).toMatchObject({
    code: "TOOL_NOT_FOUND",
    message: "Unknown tool: 'nope'",
  });
  expect((await client.step(callTool("kaput"))).error).toMatchObject({ code: "EXECUTION_ERROR", message: "kaput" });
  expect(await client.step(listTools())).toMatchObject({ observation: { tools: [{ name: "echo_message" }] } });
  expect(await client.state()).toEqual({ episodeId: "ep", stepCount: 2 });
  await client.close();
  expect(server.frames.slice(0, 3).map((frame) => JSON.parse(frame) as unknown)).toEqual([
    { type: "step", data: { type: "list_tools" } },
    { type: "reset", data: { level: 2, seed: 7, episode_id: "ep" } },
    { type: "step", data: { type: "call_tool", tool_name: "echo_message", arguments: { message: "hi" } } },
  ]);
  expect(server.frames.at(-1)).toBe('{"type":"close"}');
});

test("what OpenEnv's own server cannot do is not supported, and says so", async () => {
  await using server = await ForeignOpenEnv.open();
  const client = await connectEnvironment(server.url);
  await client.reset();
  const message = `${server.url} cannot save or fork episodes.`;
  for (const asked of [client.fork(), client.snapshot()])
    await expect(asked).rejects.toMatchObject({ code: "NOT_SUPPORTED", message });
  await expect(client.tasks("train")).rejects.toMatchObject({ code: "NOT_SUPPORTED" });
  await client.close();
});

test("over HTTP, a server that forgets its episodes is refused instead of played", async () => {
  await using server = await ForeignOpenEnv.open();
  const client = await connectEnvironment(server.url, { transport: "http" });
  await expect(client.reset()).rejects.toMatchObject({
    code: "NOT_SUPPORTED",
    message: `${server.url} keeps no episode between HTTP requests. Connect over its WebSocket.`,
  });
  await client.close();
});

test("a server at capacity, which says so before it is asked, is an error of the first request", async () => {
  await using server = await ForeignOpenEnv.open({ isFull: true });
  const client = await connectEnvironment(server.url);
  await expect(client.reset()).rejects.toMatchObject({
    code: "CAPACITY",
    message: "Server at capacity: 2/2 sessions active. Cannot accept new connections.",
  });
  await client.close();
});

test("a server that sends frames without being asked is disconnected, so that they cannot pile up", async () => {
  const frame = JSON.stringify({ type: "observation", data: { observation: {} } });
  await using server = await ForeignOpenEnv.open({ unasked: Array.from({ length: 100 }, () => frame) });
  const client = await connectEnvironment(server.url);
  const play = async () => {
    for (;;) {
      await client.step(callTool("echo_message", { message: "hi" }));
      await new Promise((resolve) => setTimeout(resolve, 1)); // Frames arrive while no step waits for one.
    }
  };
  await expect(client.reset().then(play)).rejects.toThrow(/closed|nobody asked for/);
  await client.close();
});

test("an error code with the name of an object's own property is an error like others", async () => {
  await using server = await ForeignOpenEnv.open();
  const client = await connectEnvironment(server.url);
  await client.reset();
  expect((await client.step(callTool("proto"))).error).toMatchObject({ code: "EXECUTION_ERROR", message: "proto" });
  await client.close();
});
