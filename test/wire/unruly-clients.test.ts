import { once } from "node:events";
import { connect as connectSocket, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { server, tool } from "biplane";
import { contain } from "../../packages/core/src/bounds/contain.ts";
import { maxEarlyRequests } from "../../packages/core/src/transport/http.ts";
import { ClientConnections, unreadBytes } from "../../packages/core/src/wire/client-connections.ts";
import { arrivingBytes } from "../../packages/core/src/wire/request-body.ts";

const tools = { hello: tool({ run: () => "Hello" }) };
const deep = (id: string) => `{"jsonrpc":"2.0","id":${id},"params":${"[".repeat(200)}${"]".repeat(200)}}`;
const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };

test("a message that is too deep is refused, whatever stands in the place of its id", async () => {
  await using subject = server({ name: "subject", tools });
  const { url } = await subject.serve("http://127.0.0.1:0");
  const socket = new WebSocket(`${url.replace("http", "ws")}/mcp`, "mcp");
  await once(socket, "open");
  for (const [id, shown] of [
    ["00", null],
    ["7", 7],
    ["012345", null],
    ['"a"', "a"],
    ["1e5", null],
    ["0x1", null],
  ]) {
    const response = await fetch(`${url}/mcp`, { method: "POST", headers, body: deep(String(id)) });
    expect(await response.json()).toMatchObject({ id: shown, error: { code: -32600 } });
    socket.send(deep(String(id)));
    const [data] = (await once(socket, "message")) as [Buffer];
    expect(JSON.parse(data.toString())).toMatchObject({ id: shown, error: { code: -32600 } });
  }
  socket.terminate();
});

test("a fault in what one client sent disconnects that client only, and is reported without its data", async () => {
  const warned = once(process, "warning");
  let disconnected = 0;
  void contain(
    () => void disconnected++,
    () => {
      throw new TypeError("the client's secret");
    },
  );
  await contain(
    () => void disconnected++,
    () => Promise.reject(new Error("later")),
  );
  expect(disconnected).toBe(2);
  const [warning] = (await warned) as [Error & { detail?: string }];
  expect(warning).toMatchObject({ name: "BiplaneFault", message: expect.stringContaining("(TypeError)") as string });
  expect(`${warning.message}${warning.detail}`).not.toContain("secret");
  expect(warning.detail).toContain("unruly-clients");
});

test("of many pings in one packet the latest is answered, and other requests are served meanwhile", async () => {
  await using subject = server({ name: "subject", tools });
  const { url } = await subject.serve("http://127.0.0.1:0");
  const socket = new WebSocket(`${url.replace("http", "ws")}/mcp`, "mcp");
  const pongs: string[] = [];
  socket.on("pong", (data: Buffer) => pongs.push(data.toString()));
  await once(socket, "open");
  const count = 2000;
  const all = new Promise<void>((resolve) =>
    socket.on("pong", (data: Buffer) => data.toString() === `p${count}` && resolve()),
  );
  const { _socket: raw } = socket as unknown as { _socket: Socket };
  raw.cork();
  for (let number = 1; number <= count; number++) socket.ping(`p${number}`);
  raw.uncork();
  await all;
  expect(pongs.length).toBeLessThan(count / 10);
  socket.send('{"jsonrpc":"2.0","id":1,"method":"ping"}');
  const [data] = (await once(socket, "message")) as [Buffer];
  expect(JSON.parse(data.toString())).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  socket.terminate();
});

test("requests that come together are answered in order, and descriptions count against the rate", async () => {
  await using subject = server({ name: "subject", tools, limits: { perPrincipal: { perSecond: 0.001, burst: 3 } } });
  const { url } = await subject.serve("http://127.0.0.1:0");
  const { port } = new URL(url);
  const client = connectSocket(Number(port), "127.0.0.1");
  let text = "";
  client.on("data", (chunk) => (text += chunk.toString()));
  const get = "GET /mcp/capabilities HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
  const body = '{"tool":"hello","arguments":{}}';
  const post = `POST /mcp/execute HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  client.write(post + post + get + get + post + "GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
  await once(client, "close");
  expect(Array.from(text.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => Number(status))).toEqual([
    200, 200, 200, 429, 429, 200,
  ]);
});

test("a client that does not read its answers is disconnected, and charged until then", async () => {
  let isFirst = true;
  const patient = new ClientConnections({ sweepMs: 5, patienceMs: 60_000 });
  const impatient = new ClientConnections({ sweepMs: 5, patienceMs: 50 });
  const port = createServer((socket) => {
    socket.on("error", () => undefined);
    const clients = isFirst ? patient : impatient;
    isFirst = false;
    clients.add(socket);
    clients.use(socket, { kind: "token", id: "mallory", scopes: [] });
    socket.write(Buffer.alloc(32 * 2 ** 20));
  }).listen(0, "127.0.0.1");
  await once(port, "listening");
  const open = () => connectSocket((port.address() as AddressInfo).port, "127.0.0.1");
  try {
    const reader = open().pause();
    await expect.poll(() => unreadBytes.heldBy("token mallory")).toBeGreaterThan(2 ** 20);
    reader.resume();
    await expect.poll(() => reader.bytesRead).toBe(32 * 2 ** 20);
    await expect.poll(() => unreadBytes.heldBy("token mallory")).toBe(0);
    const deaf = open().pause();
    await once(deaf, "connect");
    const closed = once(deaf, "close");
    await expect.poll(() => unreadBytes.heldBy("token mallory")).toBeGreaterThan(2 ** 20);
    await expect.poll(() => unreadBytes.heldBy("token mallory")).toBe(0);
    deaf.on("error", () => undefined).resume();
    await closed;
    expect(deaf.bytesRead).toBeLessThan(32 * 2 ** 20);
    reader.destroy();
    deaf.destroy();
  } finally {
    port.close();
  }
});

test.each([true, false])(
  "requests that come together are served in several turns (fast lane: %s)",
  async (fastLane) => {
    let inTurn = 0;
    let most = 0;
    let isOver = false;
    const busy = tool({
      run: () => {
        most = Math.max(most, ++inTurn);
        for (const endsAt = performance.now() + 1; performance.now() < endsAt;);
        return "done";
      },
    });
    await using subject = server({ name: "subject", tools: { busy } });
    const { url } = await subject.serve({ url: "http://127.0.0.1:0", fastLane });
    const turn = () => {
      inTurn = 0;
      if (!isOver) setImmediate(turn);
    };
    turn();
    const body = '{"tool":"busy","arguments":{}}';
    const requests = Array.from({ length: maxEarlyRequests }, (_, at) => {
      const connection = at === maxEarlyRequests - 1 ? "Connection: close\r\n" : "";
      return `POST /mcp/execute HTTP/1.1\r\nHost: 127.0.0.1\r\n${connection}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    });
    const client = connectSocket(Number(new URL(url).port), "127.0.0.1");
    let text = "";
    client.on("data", (chunk) => (text += chunk.toString()));
    client.write(requests.join(""));
    await once(client, "close");
    isOver = true;
    expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(maxEarlyRequests);
    expect(most).toBeLessThan(maxEarlyRequests / 2);
  },
);

test("a client that sends hundreds of requests ahead is disconnected before they are read", async () => {
  await using subject = server({ name: "subject", tools });
  const { url } = await subject.serve("http://127.0.0.1:0");
  let answers = 0;
  const client = connectSocket(Number(new URL(url).port), "127.0.0.1").on("error", () => undefined);
  client.on("data", (chunk) => (answers += chunk.toString().split("HTTP/1.1 ").length - 1));
  client.write("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".repeat(1000));
  await once(client, "close");
  expect(answers).toBeLessThanOrEqual(maxEarlyRequests + 1);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

test("answers that wait behind an open stream are charged", async () => {
  const large = tool({ run: () => "x".repeat(2 ** 20) });
  await using subject = server({ name: "subject", tools: { large } });
  const { url } = await subject.serve("http://127.0.0.1:0");
  const body = '{"tool":"large","arguments":{}}';
  const post = `POST /mcp/execute HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "a", version: "1" } };
  const begin = { jsonrpc: "2.0", id: 1, method: "initialize", params };
  const opened = await fetch(`${url}/mcp`, { method: "POST", headers, body: JSON.stringify(begin) });
  const session = opened.headers.get("mcp-session-id");
  const client = connectSocket(Number(new URL(url).port), "127.0.0.1").resume();
  const before = unreadBytes.total;
  client.write(
    `GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\nMcp-Session-Id: ${session}\r\nMCP-Protocol-Version: 2025-11-25\r\n\r\n${post.repeat(3)}`,
  );
  await expect.poll(() => unreadBytes.total - before).toBeGreaterThan(3 * 2 ** 20);
  client.destroy();
  await expect.poll(() => unreadBytes.total - before).toBe(0);
});

test("a packet of many frames is read whole and in order, and a message is charged while it arrives", async () => {
  await using subject = server({ name: "subject", tools });
  const { url } = await subject.serve("http://127.0.0.1:0");
  const socket = new WebSocket(`${url.replace("http", "ws")}/mcp`, "mcp");
  const ids: unknown[] = [];
  socket.on("message", (data: Buffer) => ids.push((JSON.parse(data.toString()) as { id: unknown }).id));
  await once(socket, "open");
  const { _socket: raw } = socket as unknown as { _socket: Socket };
  const count = 3000;
  raw.cork();
  for (let id = 0; id < count; id++) socket.send(JSON.stringify({ jsonrpc: "2.0", id, method: "ping" }));
  raw.uncork();
  await expect.poll(() => ids.length).toBe(count);
  expect(ids).toEqual(Array.from({ length: count }, (_, id) => id));

  const before = arrivingBytes.total;
  const padding = "x".repeat(2 ** 20);
  socket.send(`{"jsonrpc":"2.0","id":"long","method":"ping","params":{"_meta":{"a":"${padding}`, { fin: false });
  await expect.poll(() => arrivingBytes.total - before).toBeGreaterThan(2 ** 20);
  socket.send('"}}}', { fin: true });
  await expect.poll(() => ids.at(-1)).toBe("long");
  expect(arrivingBytes.total - before).toBe(0);
  socket.terminate();
});
