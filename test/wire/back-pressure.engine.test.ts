import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { environment, server, tool } from "biplane";
import { openSocket as openClientSocket } from "../../packages/core/src/transport/websocket-client.ts";
import { openSocket } from "./openenv/socket.ts";

const megabyte = 1024 * 1024;

async function openRaw(url: string): Promise<WebSocket> {
  const socket = new WebSocket(`${url}/mcp`, "mcp");
  await once(socket, "open");
  return socket;
}

function request(id: number, method: string, params: object = {}): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}

/** Sends and waits until the system has taken it. */
function sent(socket: WebSocket, message: string): Promise<void> {
  return new Promise((resolve) => socket.send(message, () => resolve()));
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test("requests of a WebSocket client that does not read wait, and are answered when it reads", async () => {
  const long = tool({ name: "long", description: "x".repeat(100_000), run: () => 1 });
  await using subject = server({ name: "subject", tools: [long] });
  let handled = 0;
  const requestLog = { received: () => void handled++, answered: () => undefined };
  const { url } = await subject.serve({ url: "ws://127.0.0.1:0", requestLog });
  const socket = await openRaw(url);
  socket.pause();
  for (let id = 0; id < 500; id++) await sent(socket, request(id, "tools/list"));
  // What the server can still do without answers being read is done after some turns.
  for (let before = -1; before !== handled;) {
    before = handled;
    for (let turn = 0; turn < 100; turn++) await nextTurn();
  }
  expect(handled).toBeGreaterThan(0);
  expect(handled).toBeLessThan(250); // about 1 MiB, and what the two sockets hold
  const ids = new Set<number>();
  const all = new Promise<void>((resolve) =>
    socket.on("message", (data: Buffer) => {
      ids.add((JSON.parse(data.toString()) as { id: number }).id);
      if (ids.size === 500) resolve();
    }),
  );
  socket.resume();
  await all;
  expect(handled).toBe(500);
  socket.terminate();
});

test("a WebSocket client that lets messages of the server pile up is disconnected", async () => {
  let isStopped = false;
  const chatty = tool({
    name: "chatty",
    run: async (_, call) => {
      call.signal.addEventListener("abort", () => (isStopped = true));
      for (let at = 1; at <= 64 && !call.signal.aborted; at++) {
        call.progress(at, { message: "x".repeat(megabyte) });
        await nextTurn();
      }
      return "said everything";
    },
  });
  await using subject = server({ name: "subject", tools: [chatty] });
  const { url } = await subject.serve("ws://127.0.0.1:0");
  const socket = await openRaw(url);
  socket.pause();
  await sent(socket, request(1, "tools/call", { name: "chatty", arguments: {}, _meta: { progressToken: 1 } }));
  await expect.poll(() => isStopped).toBe(true);
  const closed = once(socket, "close");
  socket.on("error", () => undefined);
  socket.resume();
  const [code] = (await closed) as [number];
  expect(code).toBe(1006);
});

/** Larger than what may be unsent. */
const letters = 20 * megabyte;

test("a trainer that reads gets a frame that is larger than what may be unsent", async () => {
  await using subject = environment({
    name: "talkative",
    start: () => ({}),
    observe: () => ({}),
    tools: (tool) => ({ talk: tool({ run: () => "x".repeat(letters) }) }),
  });
  const { url } = await subject.serve("http://127.0.0.1:0");
  const { send, socket, closed } = await openSocket(url);
  await send({ type: "reset" });
  const answer = await Promise.race([send({ type: "step", data: { tool_name: "talk", arguments: {} } }), closed]);
  expect(JSON.stringify(answer).length).toBeGreaterThan(letters);
  socket.terminate();
});

test("a client that reads gets an event that is larger than what may be unsent", async () => {
  const long = tool({ name: "long", run: (_, call) => (call.progress(1), "x".repeat(letters)) });
  await using subject = server({ name: "subject", tools: [long] });
  const { url } = await subject.serve("http://127.0.0.1:0");
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: request(1, "tools/call", { name: "long", arguments: {}, _meta: { progressToken: 1 } }),
  });
  expect((await response.text()).length).toBeGreaterThan(letters);
});

test("of the pings of a WebSocket client that does not read, only the latest are answered", async () => {
  const long = tool({ name: "long", run: () => "x".repeat(15 * megabyte) });
  await using subject = server({ name: "subject", tools: [long] });
  const { url } = await subject.serve("ws://127.0.0.1:0");
  const socket = await openRaw(url);
  let pongs = 0;
  const last = new Promise<void>((resolve) =>
    socket.on("pong", (data) => void (pongs++, data.toString() === "last" && resolve())),
  );
  socket.pause();
  await sent(socket, request(1, "tools/call", { name: "long", arguments: {} }));
  for (let round = 0; round < 10; round++) {
    for (let at = 0; at < 2000; at++) socket.ping(Buffer.alloc(125));
    await nextTurn();
  }
  socket.ping("last");
  socket.resume();
  await last;
  expect(pongs).toBeLessThan(1000);
  socket.terminate();
});

test("a batch has at most 100 messages, on every transport", async () => {
  await using subject = server({ name: "subject" });
  const { url } = await subject.serve("http://127.0.0.1:0");
  const hello = { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "batcher", version: "1" } };
  const batch = (size: number) => `[${Array.from({ length: size }, (_, id) => request(id + 10, "ping")).join()}]`;
  const refusal = { error: { code: -32600, message: "Invalid Request: a batch has at most 100 messages" } };

  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const post = (body: string, more = {}) =>
    fetch(`${url}/mcp`, { method: "POST", headers: { ...headers, ...more }, body });
  const session = {
    "mcp-session-id": (await post(request(1, "initialize", hello))).headers.get("mcp-session-id") ?? "",
  };
  expect(await (await post(batch(101), session)).json()).toMatchObject(refusal);
  expect(await (await post(batch(100), session)).json()).toHaveLength(100);

  const socket = await openRaw(url.replace("http", "ws"));
  const received: unknown[] = [];
  socket.on("message", (data: Buffer) => received.push(JSON.parse(data.toString())));
  socket.send(request(1, "initialize", hello));
  await expect.poll(() => received.length).toBe(1);
  socket.send(batch(101));
  await expect.poll(() => received.length).toBe(2);
  expect(received[1]).toMatchObject(refusal);
  socket.send(batch(100));
  await expect.poll(() => received.length).toBe(102);
  socket.terminate();
});

test("frames that a trainer sends while a step runs are not read without limit, and are answered in order", async () => {
  let release: () => void = () => undefined;
  const isReleased = new Promise<void>((resolve) => (release = resolve));
  await using game = environment({
    name: "game",
    start: () => ({ steps: 0 }),
    observe: ({ steps }) => ({ steps }),
    tools: (define) => ({
      go: define({
        input: { type: "object", properties: { note: { type: "string" } } },
        run: async (_, { state }) => {
          await isReleased;
          state.steps++;
        },
      }),
    }),
  });
  const { url } = await game.serve("http://127.0.0.1:0");
  const { socket, send, next } = await openSocket(url);
  await send({ type: "reset", data: {} });
  const step = {
    type: "step",
    data: { type: "call_tool", tool_name: "go", arguments: { note: "x".repeat(megabyte) } },
  };
  for (let at = 0; at < 40; at++) socket.send(JSON.stringify(step));
  for (let turn = 0; turn < 2000; turn++) await nextTurn();
  expect(socket.bufferedAmount).toBeGreaterThan(20 * megabyte);
  release();
  const steps: unknown[] = [];
  for (let at = 0; at < 40; at++) steps.push(((await next()).data["metadata"] as { step_count: number }).step_count);
  expect(steps).toEqual(Array.from({ length: 40 }, (_, at) => at + 1));
  socket.terminate();
});

test("a trainer that disconnects during a step cancels it", async () => {
  let isRunning = false;
  let isCancelled = false;
  await using game = environment({
    name: "game",
    start: () => ({}),
    observe: () => ({}),
    tools: (define) => ({
      wait: define({
        run: (_, { signal }) =>
          new Promise<void>((resolve) => {
            isRunning = true;
            signal.addEventListener("abort", () => {
              isCancelled = true;
              resolve();
            });
          }),
      }),
    }),
  });
  const { url } = await game.serve("http://127.0.0.1:0");
  const { socket, send } = await openSocket(url);
  await send({ type: "reset", data: {} });
  socket.send(JSON.stringify({ type: "step", data: { type: "call_tool", tool_name: "wait", arguments: {} } }));
  await expect.poll(() => isRunning).toBe(true);
  socket.terminate();
  await expect.poll(() => isCancelled).toBe(true);
});

test("a client stops reading from a server that does not read its answers", async () => {
  const listener = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(listener, "listening");
  const opened = once(listener, "connection") as Promise<[WebSocket]>;
  const url = `ws://127.0.0.1:${(listener.address() as AddressInfo).port}/`;
  const onMessage = (text: string) => channel.send(text);
  const answering = { onMessage, onOversize: () => undefined, onClose: () => undefined };
  const channel = await openClientSocket(url, answering, { maxMessageBytes: megabyte });
  const [socket] = await opened;
  socket.pause();
  for (let at = 0; at < 4000; at++) socket.send("x".repeat(10_000));
  for (let turn = 0; turn < 2000; turn++) await nextTurn();
  expect(socket.bufferedAmount).toBeGreaterThan(10 * megabyte);
  socket.terminate();
  listener.close();
});

test("a caller with thousands of messages on a WebSocket does not keep others waiting", async () => {
  const handledBefore: string[] = [];
  const slow = tool({
    name: "slow",
    run: (_, call) => {
      const endsAt = performance.now() + 1;
      while (performance.now() < endsAt);
      handledBefore.push(call.principal.id);
      return 1;
    },
  });
  await using subject = server({ name: "subject", tools: [slow] });
  const authenticate = ({ headers }: { headers: NodeJS.Dict<string | string[]> }) => ({
    kind: "token" as const,
    id: String(headers["authorization"]),
    scopes: ["*"],
  });
  const { url } = await subject.serve({ url: "ws://127.0.0.1:0", authenticate });
  const open = async (authorization: string) => {
    const socket = new WebSocket(`${url}/mcp`, "mcp", { headers: { authorization } });
    await once(socket, "open");
    return socket;
  };
  const [many, one] = await Promise.all([open("many"), open("one")]);
  const call = (id: number) => request(id, "tools/call", { name: "slow", arguments: {}, _meta: {} });
  const answered = once(one, "message");
  for (let id = 0; id < 1000; id++) many.send(call(id));
  await expect.poll(() => handledBefore.length, { interval: 1 }).toBeGreaterThan(0);
  one.send(call(1));
  await answered;
  expect(handledBefore.lastIndexOf("one")).toBeLessThan(500);
  many.terminate();
  one.terminate();
});
